import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/** What is wrong with a signing key, or undefined. It is never quoted. */
export function signingKeyProblem(text: string): string | undefined {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded || bytes.length < 24 || bytes.length > 64) {
    return `must be ${prefix} and the base64 of 24 to 64 random bytes`
  }
  return undefined
}

export type Message = { id: string; timestamp: number; body: string }

/** The headers of a message in the manner of Standard Webhooks 1.0: an HMAC-SHA256 over id, timestamp and body. */
export function signedHeaders(signingKey: string, { id, timestamp, body }: Message): Record<string, string> {
  const key = Buffer.from(signingKey.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
