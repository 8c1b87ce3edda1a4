import { createHash, createHmac, randomBytes } from 'node:crypto'

const form = /^[A-Za-z0-9_-]{43}$/

/** What binds a sign-in to the browser that began it; everything that must not be guessed or mixed up comes from it. */
export function newFlowSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database keeps. Undefined for what cannot be one of ours. */
export function hashOfFlow(secret: string): Buffer | undefined {
  return form.test(secret) ? createHash('sha256').update(secret).digest() : undefined
}

/** Each by its own name: who sees the state in an address learns nothing about the code verifier. */
export function derivedFrom(secret: string) {
  const derive = (name: string) => createHmac('sha256', secret).update(name).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') }
}
