import { createHmac, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
const digits = 6
// RFC 6238 §5.2: a code that was typed at the end of its time, or by a clock that is off, is one step away.
const tolerance = 1

/** RFC 6238 §4.2. */
export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / 1000 / stepSeconds)
}

/** RFC 4226 §5.3, with SHA-1, which is what authenticator apps know. */
export function codeOf(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** The step that the code is of, of those that count now. Undefined: of none. */
export function stepOf(secret: Buffer, code: string, now: Date): number | undefined {
  const current = stepAt(now)
  let found: number | undefined
  for (let step = current - tolerance; step <= current + tolerance; step++) {
    if (isEqual(codeOf(secret, step), code)) found = step
  }
  return found
}

function isEqual(expected: string, given: string): boolean {
  return expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given))
}
