import { createHash, randomBytes } from 'node:crypto'

const prefix = 'gthr_'
const secretBytes = 32

/** What the database keeps of a refresh token. */
export type RefreshHashes = { family: Buffer; refresh: Buffer }

/**
 * Two secrets: the session's, which all its refresh tokens carry, and one that is new in each. Whoever shows the first has
 * had a token of the session, whichever; only the current one fits the second as well. So no list of old ones is kept, and
 * nobody who knows no token can end a session.
 */
export function newRefreshToken(family: Buffer = randomBytes(secretBytes)): string {
  return prefix + Buffer.concat([family, randomBytes(secretBytes)]).toString('base64url')
}

/** The next token of the same session. */
export function nextRefreshToken(token: string): string {
  return newRefreshToken(bytesOf(token)!.subarray(0, secretBytes))
}

/** Undefined for what cannot be a token of ours. */
export function hashesOf(token: string): RefreshHashes | undefined {
  const bytes = bytesOf(token)
  return bytes && { family: hash(bytes.subarray(0, secretBytes)), refresh: hash(bytes) }
}

function bytesOf(token: string): Buffer | undefined {
  if (!/^gthr_[A-Za-z0-9_-]{86}$/.test(token)) return undefined
  return Buffer.from(token.slice(prefix.length), 'base64url')
}

/** 256 random bits need no slow hash. */
function hash(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
