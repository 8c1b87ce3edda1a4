import { createHash, createHmac, randomBytes } from 'node:crypto'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from './local-server.ts'

export type CloudAccountSandbox = Awaited<ReturnType<typeof startCloudAccount>>

type Session = { secret: string; session: string | undefined; role: string | undefined }
type Role = { externalId: string; domain: string }

const scopePattern =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/
const skewMs = 15 * 60_000

/** The services of AWS that CodeArtifact is signed in with: STS's AssumeRole and GetAuthorizationToken. Every signature counts. */
export async function startCloudAccount({ port = 0 }: { port?: number } = {}) {
  const keys = new Map<string, Session>()
  const roles = new Map<string, Role>()
  const tokens = new Set<string>()
  const control: { aheadMs: number; trouble?: ((service: string) => SandboxAnswer | undefined) | undefined } = {
    aheadMs: 0,
  }
  const server = await startLocalServer(answer, port)

  /** What its administrator does: makes keys for a user. */
  function addUser(accessKeyId: string): { accessKeyId: string; secretAccessKey: string } {
    const secretAccessKey = randomBytes(30).toString('base64')
    keys.set(accessKeyId, { secret: secretAccessKey, session: undefined, role: undefined })
    return { accessKeyId, secretAccessKey }
  }

  function answer(request: SandboxRequest): SandboxAnswer {
    const known = signer(request)
    if (typeof known === 'string') return { status: 403, body: { message: known } }
    const trouble = control.trouble?.(known.service)
    if (trouble) return trouble
    return known.service === 'sts' ? assume(request, known) : authorize(request, known)
  }

  /** Who signed it, or why nobody did. */
  function signer({ method, path, query, headers, body }: SandboxRequest): (Session & { service: string }) | string {
    const [, id = '', day = '', region = '', service = '', names = '', given] =
      scopePattern.exec(headers.authorization ?? '') ?? []
    const session = keys.get(id)
    const time = headers['x-amz-date'] ?? ''
    const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    if (!session || !time.startsWith(day)) return 'UnrecognizedClientException'
    if (!(Math.abs(sentAt - Date.now() - control.aheadMs) < skewMs)) return 'RequestExpired'
    if (headers['x-amz-security-token'] !== session.session) return 'InvalidClientTokenId'
    const signed = names.split(';')
    const mustBe = ['host', 'x-amz-date', ...(session.session ? ['x-amz-security-token'] : [])]
    if (!mustBe.every((name) => signed.includes(name))) return 'IncompleteSignature'
    const asked = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    const lines = signed.map((name) => `${name}:${headers[name]}\n`)
    const hash = createHash('sha256').update(body).digest('hex')
    const canonical = `${method}\n/${path.join('/')}\n${asked.sort().join('&')}\n${lines.join('')}\n${names}\n${hash}`
    const scope = `${day}/${region}/${service}/aws4_request`
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
    let key: Buffer = Buffer.from(`AWS4${session.secret}`)
    for (const part of [day, region, service, 'aws4_request', text])
      key = createHmac('sha256', key).update(part).digest()
    return key.toString('hex') === given ? { ...session, service } : 'SignatureDoesNotMatch'
  }

  function assume({ body }: SandboxRequest, { role: already }: Session): SandboxAnswer {
    const fields = new URLSearchParams(body)
    const arn = fields.get('RoleArn') ?? ''
    const role = roles.get(arn)
    const isAsked = fields.get('Action') === 'AssumeRole' && fields.get('Version') === '2011-06-15'
    if (!isAsked || already || role?.externalId !== fields.get('ExternalId')) {
      return {
        status: 403,
        body: `<ErrorResponse><Error><Message>not authorized: ${arn}</Message></Error></ErrorResponse>`,
      }
    }
    const [id, secret, session] = [`ASIA${hex(8)}`, hex(20), hex(40)]
    keys.set(id, { secret, session, role: arn })
    const listed = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${session}</SessionToken>`
    return {
      headers: { 'content-type': 'text/xml' },
      body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${listed}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    }
  }

  function authorize({ path, query }: SandboxRequest, { role }: Session): SandboxAnswer {
    const domain = `${query.get('domain')}-${query.get('domain-owner')}`
    const isKnown = path.join('/') === 'v1/authorization-token' && roles.get(role ?? '')?.domain === domain
    if (!isKnown) return { status: 403, body: { message: `not authorized: ${role}` } }
    const authorizationToken = hex(60)
    tokens.add(authorizationToken)
    const seconds = Number(query.get('duration') ?? 43_200)
    return { body: { authorizationToken, expiration: (Date.now() + control.aheadMs) / 1000 + seconds } }
  }

  return { ...server, addUser, roles, tokens, control }
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
