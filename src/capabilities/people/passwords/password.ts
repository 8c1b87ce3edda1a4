import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { derivationCost as cost } from './derivation-cost.ts'
import { createDerivationQueue, type Lane } from './derivation-queue.ts'

const derive = promisify(argon2)

// Each derivation takes memory and a core, so a flood of sign-ins queues here instead of starving everything else.
const queue = createDerivationQueue({ running: 2, waiting: 100, perLane: 50, knownInARow: 4, longestWaitMs: 15_000 })
let derived = 0

/** For whoever has proved already that they may: the start, the command line, the holder of a link. */
const trusted: Lane = { key: '', known: true }

/** argon2id in the PHC string format: the parameters travel with the hash, so that they can be raised later. */
export async function hashPassword(password: string, lane = trusted): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await queue.run(lane, () => deriveTag(password, { ...cost, nonce }))
  return phc(nonce, tag)
}

/** What an unknown e-mail address is checked against, so that it takes as long as a known one. No password fits it. */
export const nobodysHash = phc(Buffer.alloc(16), Buffer.alloc(cost.tagLength))

/** What is done about guessing, around each derivation and while it has its turn. */
export type Guard = {
  /** Before anything is derived: counts the attempt, or throws if it is one too many. */
  begin(): Promise<void>
  /** The password was right, so it was no guess. */
  succeed(): Promise<void>
}

/** An account without a password takes as long as one with. */
export async function verifyPassword(password: string, hash: string, lane: Lane, guard: Guard): Promise<boolean> {
  const { expected, ...parameters } = parse(hash) ?? parse(nobodysHash)!
  return queue.run(lane, async () => {
    await guard.begin()
    const tag = await deriveTag(password, parameters)
    const right = timingSafeEqual(tag, expected)
    if (right) await guard.succeed()
    return right
  })
}

/** For whoever has the file that the password is in: nobody guesses here. */
export function isPassword(password: string, hash: string): Promise<boolean> {
  return verifyPassword(password, hash, trusted, { begin: async () => {}, succeed: async () => {} })
}

/** How many passwords were derived since the start, and how many wait for it. */
export function derivations(): { done: number; waiting: number } {
  return { done: derived, waiting: queue.waiting() }
}

function deriveTag(message: string, parameters: typeof cost & { nonce: Buffer }): Promise<Buffer> {
  derived++
  return derive('argon2id', { ...parameters, message })
}

function parse(hash: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash)
  if (!match) return undefined
  const expected = Buffer.from(match[5]!, 'base64')
  return {
    expected,
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
    tagLength: expected.length,
    nonce: Buffer.from(match[4]!, 'base64'),
  }
}

function phc(nonce: Buffer, tag: Buffer): string {
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${parameters}$${unpadded(nonce)}$${unpadded(tag)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
