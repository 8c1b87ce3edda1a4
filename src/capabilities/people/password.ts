import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Fault } from '../../kernel/fault.ts'

const derive = promisify(argon2)

// OWASP's password storage cheat sheet, with more memory than its minimum; about 50 ms on one core.
const cost = { memory: 32 * 1024, passes: 3, parallelism: 1, tagLength: 32 }
const maxRunning = 2
const maxWaiting = 100

/** argon2id in the PHC string format: the parameters travel with the hash, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await inTurn(() => derive('argon2id', { ...cost, message: password, nonce }))
  return phc(nonce, tag)
}

/** What an unknown e-mail address is checked against, so that it takes as long as a known one. No password fits it. */
export const nobodysHash = phc(Buffer.alloc(16), Buffer.alloc(cost.tagLength))

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash)
  if (!match) return false
  const expected = Buffer.from(match[5]!, 'base64')
  const parameters = {
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
    tagLength: expected.length,
    nonce: Buffer.from(match[4]!, 'base64'),
  }
  const tag = await inTurn(() => derive('argon2id', { ...parameters, message: password }))
  return timingSafeEqual(tag, expected)
}

let running = 0
const waiting: (() => void)[] = []

/** Each derivation takes memory and a core, so a flood of sign-ins queues here instead of starving everything else. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) {
      throw new Fault('unavailable', 'Too many sign-ins at once.', { retryAfterSeconds: 5 })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

function phc(nonce: Buffer, tag: Buffer): string {
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${parameters}$${unpadded(nonce)}$${unpadded(tag)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
