import { startDevopsService } from '../../src/sandbox/code-hosts/devops-service.ts'
import { startIdentityProvider } from '../../src/sandbox/identity-provider.ts'
import { type LocalServer, startLocalServer } from '../../src/sandbox/local-server.ts'
import { openGatehouse, type Request } from '../gatehouse.ts'

export const tenantId = 'f3a1c9d2-6f0e-4b57-8c43-2b8f6e1d7a90'
export const clientId = '0b7d2c44-93f5-4e0a-a1c8-5d6e7f8091a2'

/** A Gatehouse with an identity provider and a DevOps service around it, both on this machine, and a public address. */
export async function openDevopsGatehouse(options: Parameters<typeof openGatehouse>[0] = {}) {
  const provider = await startIdentityProvider(options.clock ? { clock: options.clock } : {})
  const devops = await startDevopsService({ whose: provider.whose })
  const front = await startFront()
  const gatehouse = await openGatehouse({
    ...options,
    env: {
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
      GATEHOUSE_IDENTITY_PROVIDER_URL: provider.url,
      GATEHOUSE_URL: front.url,
      ...options.env,
    },
  })
  front.leadTo(gatehouse.url)
  provider.register(tenantId, clientId)
  devops.addProject('contoso', 'Web Shop', [clientId])

  const { deploymentId } = gatehouse.owner
  const apps = `/api/scm/deployments/${deploymentId}/devops_apps`
  const request = {
    deploymentId: String(deploymentId),
    baseUrl: devops.url,
    tenantId,
    clientId,
    organizationName: 'contoso',
    projectName: 'Web Shop',
  }

  async function create(more: object = {}): Promise<{ scmAppId: string; publicCertificatePem: string }> {
    const answer = await gatehouse.call('POST', '/api/scm/devops_app', { body: { ...request, ...more } })
    if (answer.status !== 200) throw new Error(`not created: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  function complete(scmAppId: string, more: Request = {}) {
    return gatehouse.call('PUT', '/api/scm/devops_app_install', {
      body: { deploymentId: request.deploymentId, scmAppId },
      ...more,
    })
  }

  /** Created, its certificate uploaded, completed. */
  async function install(more: object = {}): Promise<string> {
    const { scmAppId, publicCertificatePem } = await create(more)
    provider.uploadCertificate(clientId, publicCertificatePem)
    const answer = await complete(scmAppId)
    if (answer.status !== 200) throw new Error(`not completed: ${JSON.stringify(answer.body)}`)
    return scmAppId
  }

  async function close(): Promise<void> {
    await gatehouse.close()
    await Promise.all([provider.close(), devops.close(), front.close()])
  }

  return { ...gatehouse, provider, devops, front, apps, request, create, complete, install, close }
}

/** What stands before a Gatehouse in the real world. The address is known before Gatehouse is. */
async function startFront(): Promise<LocalServer & { leadTo(url: string): void }> {
  let target = ''
  const server = await startLocalServer(async ({ method, path, headers, body }) => {
    const kept = { 'content-type': headers['content-type'] ?? '', authorization: headers.authorization ?? '' }
    const response = await fetch(`${target}/${path.join('/')}`, { method, headers: kept, body })
    return { status: response.status, body: await response.text() }
  })
  function leadTo(url: string): void {
    target = url
  }
  return { ...server, leadTo }
}
