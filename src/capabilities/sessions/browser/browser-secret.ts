import { createHash, randomBytes } from 'node:crypto'

const prefix = 'gths_'
const idleMs = 12 * 3_600_000

export function newBrowserSecret(): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** What the database keeps of it; 256 random bits need no slow hash. Undefined for what cannot be one of ours. */
export function hashOfCookie(secret: string): Buffer | undefined {
  return /^gths_[A-Za-z0-9_-]{43}$/.test(secret) ? createHash('sha256').update(secret).digest() : undefined
}

/** When a session ends that nobody uses any more. */
export function idleEndOf(usedAt: Date): Date {
  return new Date(usedAt.getTime() + idleMs)
}

/** Sessions that were last used before this have ended. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - idleMs)
}
