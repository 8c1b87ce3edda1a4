import { OutboundError, type OutboundReason } from './outbound-error.ts'

const byCode: [pattern: RegExp, reason: OutboundReason, what: string][] = [
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'timeout', 'did not answer in time'],
  [/^UND_ERR_BODY_TIMEOUT$/, 'timeout', 'stopped in the middle of its answer'],
  [/^(UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH)$/, 'bad_request', 'could not be asked this way'],
  [
    /^(HPE_|Z_|ERR_ZLIB|ERR_BROTLI|ERR__ERROR|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES)/,
    'bad_response',
    'gave an answer that cannot be read',
  ],
  [/^(E[A-Z]+|UND_ERR_.*|ERR_STREAM_PREMATURE_CLOSE|ERR_SSL.*)$/, 'disconnected', 'broke the connection'],
]

/** Only codes are taken over from foreign errors, never their messages. What has no code came from the request's own body. */
export function asOutboundError(error: unknown, origin: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (typeof code === 'string') {
    for (const [pattern, reason, what] of byCode) {
      if (pattern.test(code)) return new OutboundError(reason, `${origin} ${what} (${code}).`, code)
    }
  }
  return new OutboundError('bad_request', `The request to ${origin} could not be sent in full.`)
}

/** What speaks against the other side, and not against the request. */
export function countsAgainstOrigin({ reason }: OutboundError): boolean {
  return ['dns', 'connect', 'tls', 'broker', 'disconnected', 'timeout', 'bad_response'].includes(reason)
}

/** A gateway's word that what stands behind it is away. A plain 500 may be about one request only. */
export function isOutage(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}
