import type { Outbound } from '../../../outbound/client/client.ts'
import { formRequest, type JsonAnswer } from '../../../outbound/client/json-request.ts'
import { askFor, StepFailure } from '../installation/step.ts'

export type TokenRequest = { clientId: string; tokenEndpoint: string; assertion: string; timeoutMs: number }

/** The DevOps service's own id at the identity provider; `.default` asks for what was granted to the app. */
const scope = '499b84ac-1321-427f-aa17-267b86a85b8e/.default'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Microsoft Entra ID's v2 endpoint; others can be reached by GATEHOUSE_IDENTITY_PROVIDER_URL. */
export function tokenEndpointOf(identityProviderUrl: string, tenantId: string): string {
  return `${identityProviderUrl}/${tenantId}/oauth2/v2.0/token`
}

/** A client-credentials grant (RFC 6749 §4.4) authenticated by an assertion (RFC 7523 §2.2). */
export async function requestToken(outbound: Outbound, request: TokenRequest): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    client_id: request.clientId,
    scope,
    client_assertion_type: assertionType,
    client_assertion: request.assertion,
  }
  const answer = await askFor('token', outbound, {
    ...formRequest(form),
    url: request.tokenEndpoint,
    timeoutMs: request.timeoutMs,
    maxBytes: 256 * 1024,
  })
  const token = answer.body?.access_token
  if (answer.status === 200 && typeof token === 'string' && /^[\x21-\x7e]{1,16000}$/.test(token)) return token
  throw new StepFailure('token', refusalOf(answer, request.clientId))
}

function refusalOf({ status, body }: JsonAnswer, clientId: string): string {
  if (!body) return `The identity provider answered ${status} with something that is not JSON.`
  if (status === 200) return 'The identity provider answered without a usable token.'
  const error = typeof body.error === 'string' && /^[a-z_]{1,40}$/.test(body.error) ? body.error : 'no known error'
  const code = codeOf(body)
  const said = `The identity provider answered ${status}, ${error}${code ? ` (AADSTS${code})` : ''}`
  return `${said}${meaning(error, code, clientId)}`.replace(/(?<!\?)$/, '.')
}

/** Entra's own number of the error; its text is left out, because it is free to repeat what was sent. */
function codeOf(body: Record<string, unknown>): number | undefined {
  const [code] = Array.isArray(body.error_codes) ? body.error_codes : []
  return Number.isSafeInteger(code) && code > 0 ? code : undefined
}

const meanings: Record<number, (clientId: string) => string> = {
  90002: () => ': there is no such tenant; is tenantId right?',
  900021: () => ': there is no such tenant; is tenantId right?',
  900023: () => ': there is no such tenant; is tenantId right?',
  700016: (clientId) => `: the tenant has no app '${clientId}'; is clientId right?`,
  7000229: (clientId) => `: the tenant has no service principal of the app '${clientId}'; make one`,
  700024: () => ': the assertion is not valid at its time; is the clock of this machine right?',
}

function meaning(error: string, code: number | undefined, clientId: string): string {
  const known = code === undefined ? undefined : meanings[code]
  if (known) return known(clientId)
  if (error !== 'invalid_client') return ''
  return `: it does not know the certificate. Upload it to the app registration '${clientId}' and complete again`
}
