import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** What the DevOps service sends as the user name; the password is the secret. */
export const webhookUserName = 'gatehouse'

export function newWebhookSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** 256 random bits need no slow hash. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

const nobodysHash = randomBytes(32)

/** Takes as long for an app that does not exist as for one that does: both are compared. */
export function carriesSecret(authorization: string | undefined, hash: Buffer | null | undefined): boolean {
  return timingSafeEqual(hashOf(passwordIn(authorization)), hash ?? nobodysHash)
}

/** RFC 7617 §2. */
function passwordIn(authorization: string | undefined): string {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,400})$/i.exec(authorization ?? '')?.[1] ?? ''
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const prefix = `${webhookUserName}:`
  return pair.startsWith(prefix) ? pair.slice(prefix.length) : ''
}
