import { Fault, type FaultCode } from '../../kernel/contract/fault.ts'
import { type Protocol, schemeToken } from '../../kernel/contract/protocol.ts'

/** RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'

/** A refusal with the code that clients of OAuth look for. */
export class OAuthFault extends Fault {
  readonly error: OAuthError

  constructor(error: OAuthError, message: string) {
    super('unprocessable', message)
    this.error = error
  }
}

const errorOf: Partial<Record<FaultCode, string>> = {
  too_many_requests: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
}

/** Refusals as RFC 6749 §5.2 has them. */
export const oauth: Protocol = {
  name: 'OAuth',
  below: ['/api/auth/oauth/'],
  tokenIn: (headers) => schemeToken(headers, 'Bearer'),
  refusal: (fault, status) => ({
    status: fault instanceof OAuthFault ? 400 : status,
    body: {
      error: fault instanceof OAuthFault ? fault.error : (errorOf[fault.code] ?? 'invalid_request'),
      error_description: [fault.message, ...fault.errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join(
        ' ',
      ),
    },
  }),
}
