import sql from 'sql-template-tag'
import { systemActor } from '../src/kernel/access/actor.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import type { TestGatehouse } from './gatehouse.ts'

type Node = {
  type?: string
  enum?: unknown[]
  anyOf?: Node[]
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  minItems?: number
  minimum?: number
  minLength?: number
  pattern?: string
  format?: string
}

/** A body that fits the contract, made from its schema: only what is required, with the plainest values. */
export function sampleOf(schema: unknown): unknown {
  const node = schema as Node
  if (node.anyOf) return sampleOf(node.anyOf[0])
  if (node.enum) return node.enum[0]
  if (node.type === 'object') {
    const required = Object.entries(node.properties ?? {}).filter(([name]) => node.required?.includes(name))
    return Object.fromEntries(required.map(([name, property]) => [name, sampleOf(property)]))
  }
  if (node.type === 'array') return Array.from({ length: node.minItems ?? 0 }, () => sampleOf(node.items))
  if (node.type === 'integer' || node.type === 'number') return Math.max(1, node.minimum ?? 1)
  if (node.type === 'boolean') return false
  if (node.format === 'date-time') return '2026-01-01T00:00:00Z'
  if (node.pattern?.includes('@')) return 'somebody@example.com'
  if (node.pattern?.includes('[0-9]')) return '1'
  if (node.pattern && new RegExp(node.pattern).test('')) return ''
  return 'a'.repeat(Math.max(1, node.minLength ?? 1))
}

/** The path of an endpoint with its parameters filled in; what is not given is a number or slug that does not exist. */
export function pathFor(contract: Endpoint, values: Record<string, string | number>): string {
  return contract.path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    String(values[name] ?? (/slug/i.test(name) ? 'no-such' : '987654321')),
  )
}

const isolatedLog = JSON.stringify({
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'Isolated' } }, results: [{ ruleId: 'isolated', message: { text: 'Isolated' } }] }],
})

/** Ids of things that exist in a deployment, by the name of the path parameter that takes them. */
export async function existingIds(
  gatehouse: TestGatehouse,
  deployment: { id: number; as: string },
): Promise<Record<string, string | number>> {
  const of = (path: string, body: object | string) =>
    gatehouse.call('POST', path.replace('#', String(deployment.id)), { as: deployment.as, body })
  const repository = await of('/api/repositories/v1/deployments/#/repositories', { name: 'group/isolated' })
  const scan = await of(
    '/api/scans/v1/deployments/#/scans/raw?repository=group/isolated&ref=main&path=go.mod',
    'module example.com/isolated\n\nrequire example.com/dependency v1.0.0\n',
  )
  await of('/api/scans/v1/deployments/#/scans/raw?repository=group/isolated&ref=main&path=log.sarif', isolatedLog)
  const found = await of('/api/findings/#/findings/search', {})
  const team = await of('/api/permissions/v2/deployments/#/teams', { team: { name: 'Isolated' } })
  const board = await of('/api/agent/deployments/#/ruleboards', { name: 'Isolated board', type: 'RULEBOARD_TYPE_SAST' })
  const policy = await of('/api/policies/v1/deployments/#/policies', {
    name: 'Isolated policy',
    productType: 'PRODUCT_TYPE_SAST',
  })
  const semgrepRule = await of('/api/registry/rules', {
    definition: { rules: [{ id: 'isolated', languages: ['python'], severity: 'ERROR', message: 'a', pattern: 'a' }] },
    visibility: 'org_private',
  })
  const token = await of('/api/tokens/v1/deployments/#/tokens', { name: 'Isolated' })
  const person = await gatehouse.addPerson('member', deployment)
  const invited = await of('/api/people/v1/deployments/#/people', { email: 'isolated@example.com' })
  const registry = await of('/api/agent/deployments/#/packagemanagerauthconfigs', {
    packageManagerConfigForInsert: {
      config: { name: 'Isolated', url: 'https://registry.example.com', ecosystem: 'npm' },
      npm: { token: 'isolated' },
    },
  })
  const issue = await of('/api/issues/#/issues', {
    issues: [{ externalKey: 'isolated', title: 'Isolated issue', severity: 'SEVERITY_HIGH' }],
  })
  const cloudsec = await of('/api/notifications/deployments/#/cloudsec', {
    clientId: 'isolated',
    clientSecret: 'isolated',
    apiUrl: 'http://127.0.0.1:1/graphql',
    tokenUrl: 'http://127.0.0.1:1/oauth/token',
  })
  const tracker = await of('/api/notifications/deployments/#/ticketing/v2', {
    url: 'http://127.0.0.1:1',
    email: 'isolated@example.com',
    apiToken: 'isolated',
  })
  const instanceId = tracker.body.instance.id
  const [ticket] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{ id: number }>(sql`insert into ticket (deployment_id, instance_id, state, label, created_by)
      values (${deployment.id}, ${instanceId}, 'failed', '', 0) returning id`),
  )
  const [subscription] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{ id: number }>(sql`insert into chat_subscription
        (deployment_id, channel_id, channel_name, events, severities, products, repository_ids)
      values (${deployment.id}, 'C1', '', '{CHAT_EVENT_NEW_FINDINGS}', '{}', '{}', '{}') returning id`),
  )
  const claim = await of('/api/firewall/v1/deployments/#/package-claims', {
    ecosystem: 'npm',
    pattern: 'isolated-*',
    reason: 'Isolated',
  })
  const override = await of('/api/firewall/v1/deployments/#/overrides', {
    ecosystem: 'npm',
    name: 'isolated',
    effect: 'deny',
    reason: 'Isolated',
  })
  const [held] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{
      id: number
    }>(sql`insert into firewall_held (deployment_id, advisory_id, ecosystem, name, repository_count)
      values (${deployment.id}, 'MAL-0', 'npm', 'isolated', 5) returning id`),
  )
  const [exception] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{
      id: number
    }>(sql`insert into firewall_exception (deployment_id, ecosystem, name, version, rule, reason, advisory_ids, created_at)
      values (${deployment.id}, 'npm', 'isolated', '1.0.0', 'denied', '', '{}', now()) returning id`),
  )
  const automation = await of('/api/notifications/deployments/#/automations', {
    name: 'Isolated automation',
    triggerSource: 'TRIGGER_SOURCE_MANUAL',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_REVIEWING' } }],
  })
  const [deadLetter] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{ id: number }>(sql`insert into outbox (deployment_id, kind, lane, key, payload, run_at, dead_at)
      values (${deployment.id}, 'sample', 'sample', 'sample', '{}', now(), now()) returning id`),
  )
  const account = await of('/api/service-accounts/v1/deployments/#/service-accounts', { name: 'Isolated' })
  const serviceAccountId = account.body.serviceAccount.id
  const [trust] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{
      id: number
    }>(sql`insert into ci_trust (deployment_id, name, person_id, provider, issuer, audience, conditions,
        repository_claim, ref_claim, permissions, created_by)
      values (${deployment.id}, 'Isolated', ${serviceAccountId}, 'github', 'https://ci.example.com', 'isolated',
        '[{"claim": "repository_owner_id", "values": ["1"]}]', '', '', '{scans:write}', 1)
      returning id`),
  )
  const [provider] = await gatehouse.db.transaction(systemActor(deployment.id, 'sample'), (tx) =>
    tx.query<{
      id: number
    }>(sql`insert into sign_in_provider (deployment_id, name, issuer, client_id, client_secret, scopes, domains,
        emails_are_verified, groups_claim, mapping, listed, instance_wide, enforced)
      values (${deployment.id}, 'Isolated', 'https://login.example.com', 'isolated',
        '{"nonce": "", "ciphertext": "", "tag": "", "keyVersion": "1"}', '{}', '{isolated.example}', false, '', '[]', false,
        false, false)
      returning id`),
  )
  const memory = await of('/api/ai/deployments/#/memories', { content: 'Isolated', ruleId: 'isolated' })
  const comment = await of('/api/discussions/v1/deployments/#/comments', {
    findingId: found.body.findings[0].id,
    text: 'Isolated',
  })
  const view = await of('/api/views/v1/deployments/#/views', {
    page: 'findings',
    name: 'Isolated',
    search: '',
    shared: true,
  })
  const prepared = await of('/api/findings/#/exports', {})
  const devopsApp = await of('/api/scm/devops_app', {
    deploymentId: deployment.id,
    baseUrl: 'https://devops.example.com',
    tenantId: 'isolated',
    clientId: 'isolated',
    organizationName: 'isolated',
    projectName: 'isolated',
  })
  const codeHost = await of('/api/scm/v1/deployments/#/code-hosts', {
    kind: 'gitlab',
    apiUrl: 'http://127.0.0.1:1/api/v4',
    owners: ['isolated'],
    auth: 'token',
    credential: 'isolated',
  })
  return {
    codeHostId: codeHost.body.codeHost.id,
    deploymentId: deployment.id,
    repositoryId: repository.body.repository.id,
    scanId: scan.body.scan.id,
    findingId: found.body.findings[0].id,
    ruleId: found.body.findings[0].ruleId,
    commentId: comment.body.entry.id,
    viewId: view.body.view.id,
    exportTicket: prepared.body.path.split('/').at(-1),
    teamId: team.body.team.id,
    ruleboardSlug: board.body.slug ?? board.body.ruleboard?.slug,
    policyId: policy.body.policy.id,
    semgrepRuleId: semgrepRule.body.id,
    tokenId: token.body.token.id,
    serviceAccountId,
    trustId: trust!.id,
    providerId: provider!.id,
    personId: person.id,
    invitationId: invited.body.invitation.id,
    packageClaimId: claim.body.claim.id,
    overrideId: override.body.override.id,
    heldAdvisoryId: held!.id,
    exceptionId: exception!.id,
    // Of no deployment: what is asked is whether one of one's own repositories has it.
    ecosystem: 'npm',
    name: 'no-such-package',
    // Advisories are everybody's: no deployment has one of its own.
    vulnerabilityId: '123456789',
    automationId: automation.body.automation.id,
    deadLetterId: deadLetter!.id,
    memoryId: memory.body.memory.id,
    scmAppId: devopsApp.body.scmAppId,
    issueId: issue.body.results?.[0].issueId,
    instanceId,
    ticketId: ticket!.id,
    subscriptionId: subscription!.id,
    id: cloudsec.body.cloudsecCredential.id,
    packageManagerConfigId: registry.body.packageManagerConfig.id,
  }
}
