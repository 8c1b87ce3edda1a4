import { randomBytes } from 'node:crypto'
import type { DemoClient } from '../client.ts'
import { devops, type SimulatedServices } from '../simulated-services.ts'

const robot = 'gatehouse@meadow.example'

/** Every integration, set up the way an administrator would, with the sandbox on the other side. */
export async function seedIntegrations(
  owner: DemoClient,
  deploymentId: number,
  outside: SimulatedServices,
): Promise<void> {
  await connectDevops(owner, deploymentId, outside)
  await connectChat(owner, deploymentId, outside)
  await connectTracker(owner, deploymentId, outside)
  await connectCloudSecurity(owner, deploymentId, outside)
  await connectRegistries(owner, deploymentId, outside)
}

async function connectDevops(owner: DemoClient, deploymentId: number, outside: SimulatedServices): Promise<void> {
  const app = await owner.call<{ scmAppId: string; publicCertificatePem: string }>('POST', '/api/scm/devops_app', {
    deploymentId: String(deploymentId),
    baseUrl: outside.devopsService.url,
    tenantId: devops.tenantId,
    clientId: devops.clientId,
    organizationName: devops.organization,
    projectName: devops.project,
  })
  outside.identityProvider.uploadCertificate(devops.clientId, app.publicCertificatePem)
  await owner.call('PUT', '/api/scm/devops_app_install', {
    deploymentId: String(deploymentId),
    scmAppId: app.scmAppId,
  })
}

async function connectChat(owner: DemoClient, deploymentId: number, { chat }: SimulatedServices): Promise<void> {
  const path = `/api/agent/deployments/${deploymentId}/chat`
  const { redirect_url: url } = await owner.call<{ redirect_url: string }>('GET', `${path}/install`)
  await owner.call('POST', `${path}/oauth/callback`, chat.approve(url))
  const channels = [
    { id: 'C0SECURITY', name: 'security', events: ['SUPPLY_CHAIN_INCIDENT', 'SCAN_BLOCKED'] },
    { id: 'C0APPSEC', name: 'appsec-news', events: ['ISSUE_TRIAGED'] },
  ]
  for (const { id, name, events } of channels) {
    chat.channels.push({ id, name, is_private: false, is_member: true, is_archived: false })
    await owner.call('POST', `${path}/subscriptions`, {
      channel: id,
      events: events.map((event) => `CHAT_EVENT_${event}`),
    })
  }
}

async function connectTracker(owner: DemoClient, deploymentId: number, { tracker }: SimulatedServices): Promise<void> {
  const path = `/api/notifications/deployments/${deploymentId}/ticketing/v2`
  type Connected = { instance: { id: number } }
  const apiToken = tracker.addAccount(robot)
  const { instance } = await owner.call<Connected>('POST', path, { url: tracker.url, email: robot, apiToken })
  await owner.call('PATCH', `${path}/${instance.id}`, {
    projectId: '10100',
    issueTypeId: '10200',
    fixedTransitionState: { trackerTransitionId: '31', serviceAggregateState: 'AGGREGATE_STATE_FIXED' },
  })
}

async function connectCloudSecurity(
  owner: DemoClient,
  deploymentId: number,
  { cloudsec }: SimulatedServices,
): Promise<void> {
  const clientId = 'meadow-gatehouse'
  await owner.call('POST', `/api/notifications/deployments/${deploymentId}/cloudsec`, {
    clientId,
    clientSecret: cloudsec.addServiceAccount(clientId),
    apiUrl: cloudsec.apiUrl,
    tokenUrl: cloudsec.tokenUrl,
  })
}

/** Where the company keeps what it publishes for itself, and what it mirrors. */
async function connectRegistries(
  owner: DemoClient,
  deploymentId: number,
  { ownNpm, maven: central }: SimulatedServices,
): Promise<void> {
  const path = `/api/agent/deployments/${deploymentId}/packagemanagerauthconfigs`
  const npm = {
    config: {
      name: 'Meadow npm',
      url: `${ownNpm.url}/`,
      ecosystem: 'npm',
      requiresAuth: true,
      additionalConfig: { npm: { scope: '@meadow' } },
    },
    npm: { token: ownNpm.token },
  }
  const maven = {
    config: {
      name: 'Meadow mirror of Central',
      url: `${central.url}/`,
      ecosystem: 'maven',
      requiresAuth: true,
      additionalConfig: { maven: { repositoryType: 'MAVEN_REPOSITORY_TYPE_RELEASE' } },
    },
    maven: { username: 'gatehouse', password: randomBytes(12).toString('base64url') },
  }
  for (const packageManagerConfigForInsert of [npm, maven])
    await owner.call('POST', path, { packageManagerConfigForInsert })
}
