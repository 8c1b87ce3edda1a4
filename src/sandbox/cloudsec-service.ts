import { randomBytes } from 'node:crypto'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from './local-server.ts'

export type CloudsecServiceSandbox = Awaited<ReturnType<typeof startCloudsecService>>

const tokenSeconds = 86_400

/** The token endpoint of a cloud-security service in the manner of Wiz: client credentials, by form, for its API. */
export async function startCloudsecService({ port = 0 }: { port?: number } = {}) {
  const clients = new Map<string, string>()
  const tokens = new Set<string>()
  const control: { trouble?: (() => SandboxAnswer | Promise<SandboxAnswer>) | undefined } = {}
  const server = await startLocalServer(answer, port)

  /** What its administrator does: makes a service account. Its secret is made new each time. */
  function addServiceAccount(clientId: string): string {
    const secret = randomBytes(24).toString('base64url')
    clients.set(clientId, secret)
    return secret
  }

  function answer(request: SandboxRequest): SandboxAnswer | Promise<SandboxAnswer> {
    if (control.trouble) return control.trouble()
    if (request.path.join('/') !== 'oauth/token' || request.method !== 'POST') return { status: 404, body: 'Not found' }
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

  const { url, seen, close } = server
  return { tokenUrl: `${url}/oauth/token`, apiUrl: `${url}/graphql`, seen, close, control, tokens, addServiceAccount }
}

function refuse(status: number, error: string): SandboxAnswer {
  return { status, body: { error, error_description: 'Unauthorized' } }
}
