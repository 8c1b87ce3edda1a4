import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { type Clock, systemClock } from '../kernel/time/clock.ts'
import { certificatePage } from './certificate-page.ts'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from './local-server.ts'

type Registration = { tenantId: string; certificates: X509Certificate[] }
type Issued = { clientId: string; scope: string; expiresAt: number }

const tokenSeconds = 3_600
const longestAssertionSeconds = 600
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * The token endpoint of Microsoft Entra ID for service principals: client credentials by certificate, checked as the real
 * one does. Its tokens are opaque; a service of the sandbox asks `whose` they are.
 */
export async function startIdentityProvider({ clock = systemClock, port = 0 }: { clock?: Clock; port?: number } = {}) {
  const apps = new Map<string, Registration>()
  const tokens = new Map<string, Issued>()
  const usedAssertions = new Map<string, number>()
  const control: { trouble?: (() => SandboxAnswer | Promise<SandboxAnswer>) | undefined } = {}
  const server = await startLocalServer(answer, port)
  const seconds = () => clock.now().getTime() / 1000

  function register(tenantId: string, clientId: string): void {
    apps.set(clientId, { tenantId, certificates: [] })
  }

  /** What the administrator of the tenant does with the certificate that Gatehouse shows. */
  function uploadCertificate(clientId: string, pem: string): void {
    const app = apps.get(clientId)
    if (!app) throw new Error(`no app ${clientId} in the sandbox`)
    app.certificates.push(new X509Certificate(pem))
  }

  function removeCertificates(clientId: string): void {
    apps.get(clientId)?.certificates.splice(0)
  }

  /** The client id of a token that is still good. */
  function whose(token: string): string | undefined {
    const issued = tokens.get(token)
    return issued && issued.expiresAt > seconds() ? issued.clientId : undefined
  }

  const registered = () => [...apps].map(([clientId, { tenantId }]) => ({ clientId, tenantId }))

  function uploaded(body: string): SandboxAnswer {
    const form = new URLSearchParams(body)
    try {
      uploadCertificate(form.get('client_id') ?? '', form.get('pem') ?? '')
      return certificatePage(registered(), 'Uploaded. Go back and complete the installation.')
    } catch {
      return certificatePage(registered(), 'That is no certificate, or there is no such app.')
    }
  }

  async function answer(request: SandboxRequest): Promise<SandboxAnswer> {
    if (control.trouble) return control.trouble()
    const [tenantId = '', ...rest] = request.path
    if (request.method === 'GET' && request.path.length === 0) return certificatePage(registered())
    if (request.method === 'POST' && request.path.join('/') === 'certificates') return uploaded(request.body)
    if (rest.join('/') !== 'oauth2/v2.0/token' || request.method !== 'POST') return { status: 404 }
    if (![...apps.values()].some((app) => app.tenantId === tenantId)) {
      return refuse('invalid_request', 90002, `Tenant '${tenantId}' not found.`)
    }
    const form = new URLSearchParams(request.body)
    const clientId = form.get('client_id') ?? ''
    const app = apps.get(clientId)
    if (!app || app.tenantId !== tenantId) {
      return refuse('unauthorized_client', 700016, `Application with identifier '${clientId}' was not found.`)
    }
    if (form.get('grant_type') !== 'client_credentials') return refuse('unsupported_grant_type', 70003, 'Bad grant.')
    if (!form.get('scope')?.endsWith('/.default')) return refuse('invalid_scope', 70011, 'The scope is not valid.')
    if (form.get('client_assertion_type') !== assertionType) return refuse('invalid_client', 7000218, 'No assertion.')
    const problem = await problemOf(
      form.get('client_assertion') ?? '',
      clientId,
      app,
      `${server.url}/${request.path.join('/')}`,
    )
    return problem ?? issue(clientId, form.get('scope')!)
  }

  /** RFC 7523 §3. What is wrong with the assertion, or undefined. */
  async function problemOf(assertion: string, clientId: string, app: Registration, audience: string) {
    const certificate = signerOf(assertion, app)
    if (!certificate) return refuse('invalid_client', 700027, 'The certificate is not registered on the application.')
    if (clock.now() > certificate.validToDate) return refuse('invalid_client', 700027, 'The certificate has expired.')
    try {
      const { payload } = await jwtVerify(assertion, certificate.publicKey, {
        algorithms: ['PS256'],
        issuer: clientId,
        subject: clientId,
        audience,
        requiredClaims: ['exp', 'jti', 'nbf'],
        currentDate: clock.now(),
      })
      if (payload.exp! - seconds() > longestAssertionSeconds)
        return refuse('invalid_client', 700024, 'It lasts too long.')
      return takeOnce(String(payload.jti), payload.exp!)
    } catch (error) {
      const isTime = ['ERR_JWT_EXPIRED'].includes((error as { code: string }).code)
      if (isTime) return refuse('invalid_client', 700024, 'Client assertion is not within its valid time range.')
      return refuse('invalid_client', 700027, 'Client assertion contains an invalid signature or claim.')
    }
  }

  function takeOnce(jti: string, expiresAt: number): SandboxAnswer | undefined {
    for (const [old, until] of usedAssertions) if (until < seconds()) usedAssertions.delete(old)
    if (usedAssertions.has(jti)) return refuse('invalid_client', 7000281, 'The assertion was used before.')
    usedAssertions.set(jti, expiresAt)
    return undefined
  }

  function issue(clientId: string, scope: string): SandboxAnswer {
    const token = randomBytes(32).toString('base64url')
    tokens.set(token, { clientId, scope, expiresAt: seconds() + tokenSeconds })
    return {
      body: { token_type: 'Bearer', expires_in: tokenSeconds, ext_expires_in: tokenSeconds, access_token: token },
    }
  }

  return {
    url: server.url,
    seen: server.seen,
    close: server.close,
    control,
    register,
    uploadCertificate,
    removeCertificates,
    whose,
  }
}

/** By the thumbprint in its header (RFC 7515 §4.1.8), among the certificates that were uploaded. */
function signerOf(assertion: string, app: Registration): X509Certificate | undefined {
  try {
    decodeJwt(assertion)
    const thumbprint = decodeProtectedHeader(assertion)['x5t#S256']
    return app.certificates.find(({ raw }) => createHash('sha256').update(raw).digest('base64url') === thumbprint)
  } catch {
    return undefined
  }
}

function refuse(error: string, code: number, description: string): SandboxAnswer {
  const status = error === 'invalid_client' ? 401 : 400
  return { status, body: { error, error_description: `AADSTS${code}: ${description}`, error_codes: [code] } }
}
