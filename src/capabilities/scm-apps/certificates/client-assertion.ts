import { createPrivateKey, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'

export type AssertionRequest = {
  clientId: string
  tokenEndpoint: string
  privateKeyPem: string
  /** SHA-256 of the certificate's DER encoding. */
  fingerprint: Buffer
  now: Date
}

const validSeconds = 300

/** A client assertion (RFC 7523 §3), good for one token request. */
export function signAssertion(request: AssertionRequest): Promise<string> {
  const seconds = Math.floor(request.now.getTime() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'PS256', typ: 'JWT', 'x5t#S256': request.fingerprint.toString('base64url') })
    .setIssuer(request.clientId)
    .setSubject(request.clientId)
    .setAudience(request.tokenEndpoint)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + validSeconds)
    .sign(createPrivateKey(request.privateKeyPem))
}
