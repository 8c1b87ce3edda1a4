import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { CodeHost } from '../contract.ts'

export type SignedRequest = { bytes: Buffer; headers: IncomingHttpHeaders }

export function newWebhookSecret(): string {
  return randomBytes(32).toString('hex')
}

/** What events of a code host that does not exist are checked with: it takes as long. */
export const nobodysSecret = newWebhookSecret()

/** GitHub signs the bytes that it sends; GitLab sends the secret itself. */
export function isSignedWith(secret: string, kind: CodeHost['kind'], { bytes, headers }: SignedRequest): boolean {
  if (kind === 'gitlab') return isSame(textOf(headers['x-gitlab-token']), secret)
  const signature = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
  return isSame(textOf(headers['x-hub-signature-256']), signature)
}

/** Both hashed, so that they are of one length. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}
