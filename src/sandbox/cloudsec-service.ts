import { randomBytes, randomUUID } from 'node:crypto'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from './local-server.ts'
import { lineForm, sandboxPage, shown } from './sandbox-page.ts'

export type CloudsecServiceSandbox = Awaited<ReturnType<typeof startCloudsecService>>

const tokenSeconds = 86_400

export type UploadedFinding = { id: string; severity: string; type: string; title: string; description: string }
type UploadedAsset = { details: { repositoryBranch: { assetName: string } }; findings: UploadedFinding[] }
type UploadedDocument = { integrationId: string; dataSources: { id: string; assets: UploadedAsset[] }[] }

/**
 * A cloud-security service in the manner of Wiz: tokens by client credentials, by form; then a place for a file is asked for
 * by GraphQL, and the file put there. What a data source had before is replaced by what is uploaded for it.
 */
export async function startCloudsecService({ port = 0 }: { port?: number } = {}) {
  const clients = new Map<string, string>()
  const tokens = new Set<string>()
  const places = new Map<string, string>()
  const uploads: { filename: string; document: UploadedDocument }[] = []
  const sources = new Map<string, UploadedAsset[]>()
  const control: {
    trouble?: ((request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer> | undefined) | undefined
  } = {}
  const server = await startLocalServer(answer, port)

  /** What its administrator does: makes a service account. Its secret is made new each time. */
  function addServiceAccount(clientId: string): string {
    const secret = randomBytes(24).toString('base64url')
    clients.set(clientId, secret)
    return secret
  }

  async function answer(request: SandboxRequest): Promise<SandboxAnswer> {
    const trouble = await control.trouble?.(request)
    if (trouble) return trouble
    const route = `${request.method} ${request.path[0] ?? ''}`
    if (route === 'GET ') return accountPage()
    if (route === 'POST service-accounts') return madeAccount(request.body)
    if (route === 'POST oauth' && request.path[1] === 'token') return grant(request)
    if (route === 'POST graphql') return query(request)
    if (route === 'PUT storage') return store(request)
    return { status: 404, body: 'Not found' }
  }

  /** What a person sees and does there in a browser. */
  function accountPage(said = ''): SandboxAnswer {
    const known = findings().map(({ title, severity }) => `<li>${shown(title)} (${shown(severity)})</li>`)
    const ask = { name: 'client_id', label: 'Service account with the client id', verb: 'Make it' }
    return sandboxPage(
      'Cloud security of the sandbox',
      `<p role="status">${said}</p>${lineForm('/service-accounts', ask)}
<p>API: <code>${addresses().apiUrl}</code>. Tokens: <code>${addresses().tokenUrl}</code>.</p>
<h2>Findings it was told of</h2>${known.length > 0 ? `<ul>${known.join('')}</ul>` : '<p>None yet.</p>'}`,
    )
  }

  function madeAccount(body: string): SandboxAnswer {
    const clientId = new URLSearchParams(body).get('client_id') ?? ''
    return accountPage(`The secret of ${shown(clientId)}: <code>${addServiceAccount(clientId)}</code>`)
  }

  function grant(request: SandboxRequest): SandboxAnswer {
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return { status: 415, body: { error: 'invalid_request' } }
    }
    const form = new URLSearchParams(request.body)
    if (form.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type')
    if (form.get('audience') !== 'wiz-api') return refuse(403, 'access_denied')
    const secret = clients.get(form.get('client_id') ?? '')
    if (secret === undefined || secret !== form.get('client_secret')) return refuse(401, 'access_denied')
    const token = randomBytes(32).toString('base64url')
    tokens.add(token)
    return { body: { access_token: token, token_type: 'Bearer', expires_in: tokenSeconds } }
  }

  function query(request: SandboxRequest): SandboxAnswer {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!tokens.has(token)) return refuse(401, 'invalid_token')
    const { query, variables } = JSON.parse(request.body) as { query: string; variables: { filename?: string } }
    if (!/\brequestSecurityScanUpload\(filename: \$filename\)/.test(query) || !variables.filename) {
      return { body: { data: null, errors: [{ message: 'Cannot query this field.' }] } }
    }
    const id = randomBytes(16).toString('hex')
    places.set(id, variables.filename)
    const upload = { id, url: `${server.url}/storage/${id}`, systemActivityId: randomUUID() }
    return { body: { data: { requestSecurityScanUpload: { upload } } } }
  }

  /** The address is the permission, once: as with storage of others, credentials beside it are refused. */
  function store(request: SandboxRequest): SandboxAnswer {
    const filename = places.get(request.path[1] ?? '')
    if (filename === undefined) return { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
    if (request.headers.authorization) return { status: 400, body: '<Error><Code>InvalidArgument</Code></Error>' }
    places.delete(request.path[1]!)
    const document = JSON.parse(request.body) as UploadedDocument
    uploads.push({ filename, document })
    for (const { id, assets } of document.dataSources) sources.set(id, assets)
    return { status: 200, body: '' }
  }

  /** What it knows now, of all data sources. */
  function findings(): UploadedFinding[] {
    return [...sources.values()].flat().flatMap((asset) => asset.findings)
  }

  const addresses = () => ({ tokenUrl: `${server.url}/oauth/token`, apiUrl: `${server.url}/graphql` })
  const { url, seen, close } = server
  return { ...addresses(), url, seen, close, control, tokens, uploads, sources, findings, addServiceAccount }
}

function refuse(status: number, error: string): SandboxAnswer {
  return { status, body: { error, error_description: 'Unauthorized' } }
}
