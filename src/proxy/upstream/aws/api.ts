import { child, childText, parseXml } from '../../../formats/xml/safe-xml.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { explain } from '../../../outbound/client/json-request.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import { RegistryRefusal } from '../../refusal.ts'
import type { ManagedRegistry } from './managed-registry.ts'
import { type AwsKeys, sign } from './signature.ts'

export type RoleToken = { token: string; expiresAt: Date }
export type AwsCall = { outbound: Outbound; viaBroker: boolean; at: Date }

const sessionSeconds = 900
const tokenSeconds = 3_600
const form = 'application/x-www-form-urlencoded; charset=utf-8'

/** AWS STS, AssumeRole: the keys of the role, for the few seconds that they are needed. */
export async function assumeRole(
  { stsUrl, region }: ManagedRegistry,
  keys: AwsKeys,
  { roleArn, externalId }: { roleArn: string; externalId: string },
  call: AwsCall,
): Promise<AwsKeys> {
  const fields = {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: externalId,
    ExternalId: externalId,
    DurationSeconds: String(sessionSeconds),
  }
  const body = new URLSearchParams(fields).toString()
  const url = new URL(`${stsUrl}/`)
  const answer = await ask({ url, body, headers: { 'content-type': form }, service: 'sts', region }, keys, call)
  if (answer.status !== 200) {
    const advice = `its trust policy has to allow our identity sts:AssumeRole with the external id ${externalId}.`
    throw refused(url, answer.status, `does not let us assume the role (${answer.status}): ${advice}`)
  }
  const parsed = parseXml(answer.text)
  const root = 'value' in parsed ? parsed.value : undefined
  const found = child(child(root ?? undefined, 'AssumeRoleResult'), 'Credentials')
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) =>
    found ? childText(found, name) : '',
  )
  if (!accessKeyId || !secretAccessKey || !sessionToken) throw bad(url, 'sent no credentials of the role.')
  return { accessKeyId, secretAccessKey, sessionToken }
}

/** AWS CodeArtifact, GetAuthorizationToken. */
export async function artifactToken(registry: ManagedRegistry, keys: AwsKeys, call: AwsCall): Promise<RoleToken> {
  const url = new URL(`${registry.apiUrl}/v1/authorization-token`)
  url.searchParams.set('domain', registry.domain)
  url.searchParams.set('domain-owner', registry.owner)
  url.searchParams.set('duration', String(tokenSeconds))
  const { region } = registry
  const answer = await ask({ url, body: '', headers: {}, service: 'codeartifact', region }, keys, call)
  if (answer.status !== 200) {
    const advice = 'the role needs codeartifact:GetAuthorizationToken and sts:GetServiceBearerToken.'
    throw refused(url, answer.status, `gives the role no token for its domain (${answer.status}): ${advice}`)
  }
  const { authorizationToken: token, expiration } = objectIn(answer.text)
  const expiresAt = new Date(Number(expiration) * 1000)
  const isToken = typeof token === 'string' && /^[!-~]{1,8192}$/.test(token)
  if (!isToken || Number.isNaN(expiresAt.getTime())) throw bad(url, 'sent something other than a token.')
  return { token, expiresAt }
}

type Asked = { url: URL; body: string; headers: Record<string, string>; service: string; region: string }

async function ask(asked: Asked, keys: AwsKeys, { outbound, viaBroker, at }: AwsCall) {
  const { url, body } = asked
  const { headers, authorization } = sign({ ...asked, method: 'POST', at }, keys)
  try {
    const response = await outbound.request({
      method: 'POST',
      url,
      headers,
      body,
      credentials: { origin: url.origin, authorization },
      viaBroker,
      maxRedirects: 0,
      maxBytes: 256 * 1024,
      timeoutMs: 20_000,
    })
    return { status: response.status, text: response.body.toString('utf8') }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new Fault('bad_upstream', explain(error, url.origin), { cause: error })
  }
}

/** Nothing the other side said is repeated: it may repeat the role, which is kept as a secret. */
function bad(url: URL, what: string): Fault {
  return new Fault('bad_upstream', `${url.host} ${what}`)
}

/** A role that was taken away is not an outage. */
function refused(url: URL, status: number, what: string): Fault {
  return status === 401 || status === 403 ? new RegistryRefusal(`${url.host} ${what}`) : bad(url, what)
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}
