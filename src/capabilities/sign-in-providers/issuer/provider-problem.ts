import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { OutboundError } from '../../../outbound/outbound-error.ts'

/** Why a provider's answer does not count, in words for whoever signs in or sets it up. */
export class ProviderProblem extends Error {
  override name = 'ProviderProblem'
  /** It may be over in a moment: the provider could not be reached, or could not answer. */
  readonly isOutage: boolean

  constructor(message: string, { isOutage = false } = {}) {
    super(message)
    this.isOutage = isOutage
  }
}

/** By the codes of the OpenID client. Its messages and causes are not repeated: they may hold what was sent. */
const sentences: Record<string, string> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'Its ID token is for another client, another sign-in or by another issuer.',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'Its ID token has expired or is not valid yet: do both clocks show the right time?',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED:
    'It names another issuer than the one that was entered, or another person than the one who signs in.',
  OAUTH_KEY_SELECTION_FAILED: 'Its ID token is signed with a key that is not among its keys.',
  OAUTH_RESPONSE_IS_NOT_JSON: 'It did not answer in JSON.',
  OAUTH_PARSE_ERROR: 'Its answer cannot be read.',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'Its answer is not what OpenID Connect asks for.',
  OAUTH_INVALID_RESPONSE: 'Its answer is not for this sign-in, or not signed as it should be.',
  OAUTH_UNSUPPORTED_OPERATION: 'It signs its ID tokens in a way that is not accepted.',
  OAUTH_MISSING_SERVER_METADATA: 'Its configuration lacks an address that is needed.',
  OAUTH_INVALID_SERVER_METADATA: 'Its configuration cannot be used.',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'Its configuration names an address without encryption.',
}

/** What is not the provider's doing is a bug, and thrown as it is. */
export function problemOf(error: unknown): ProviderProblem {
  if (error instanceof ProviderProblem) return error
  const outbound = outboundIn(error)
  if (outbound) return new ProviderProblem(explained(outbound), { isOutage: outbound.reason !== 'blocked_address' })
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error
    return new ProviderProblem(`It answers ${quoted(code)}${description ? `: ${quoted(description)}` : ''}.`)
  }
  if (error instanceof ClientError) {
    return new ProviderProblem(sentences[error.code ?? ''] ?? 'Its answer cannot be used.')
  }
  throw error
}

function explained({ reason, message }: OutboundError): string {
  return reason === 'blocked_address' ? `${message} The operator can allow it with GATEHOUSE_EGRESS_ALLOW.` : message
}

function outboundIn(error: unknown): OutboundError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof OutboundError) return each
  return undefined
}

/** Another server's words: short, in one line, and nothing that could be taken for ours. */
function quoted(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, ' ').slice(0, 200)
  return `“${plain}”`
}
