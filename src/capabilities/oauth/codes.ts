import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { newRefreshToken, nextRefreshToken } from '../sessions/public.ts'

/** The deployment is in it: the token endpoint is told nothing else. */
export function newCode(deploymentId: number): string {
  return `${deploymentId}.${randomBytes(32).toString('base64url')}`
}

export function firstRefreshToken(deploymentId: number): string {
  return `${deploymentId}.${newRefreshToken()}`
}

/** The next of the same family. */
export function followingRefreshToken(deploymentId: number, secret: string): string {
  return `${deploymentId}.${nextRefreshToken(secret)}`
}

/** A code or a refresh token in its parts; undefined for what cannot be one of ours. */
export function partsOf(text: string): { deploymentId: number; secret: string } | undefined {
  const [, id, secret] = /^([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{43,100})$/.exec(text) ?? []
  return id === undefined ? undefined : { deploymentId: Number(id), secret: secret! }
}

/** RFC 7636 §4.2. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** RFC 7636 §4.6, with S256 alone: a plain challenge would be the verifier itself, in an address. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}
