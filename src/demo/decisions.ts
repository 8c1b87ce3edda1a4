import type { DemoClient } from './client.ts'
import { createDice } from './dice.ts'
import type { Organisation } from './organisation.ts'

type Finding = { id: string; ruleId: string; path: string }

/** What people made of all that: tests are ignored by two of them, old risks accepted, one memory kept, automations set up. */
export async function seedDecisions(
  owner: DemoClient,
  deploymentId: number,
  organisation: Organisation,
): Promise<void> {
  await ignoreTests(owner, deploymentId, organisation)
  await remember(owner, deploymentId)
  await automate(owner, deploymentId)
  await reportIssues(owner, deploymentId, organisation)
}

async function ignoreTests(owner: DemoClient, deploymentId: number, { people }: Organisation): Promise<void> {
  const path = `/api/findings/${deploymentId}/findings`
  const search = (filter: object) =>
    owner.call<{ findings: Finding[] }>('POST', `${path}/search`, { filter: { pullRequests: 'none', ...filter } })
  const { findings } = await search({ pathPrefix: 'test/' })
  for (const [at, { id }] of findings.entries()) {
    const person = people[at % 2]!
    await owner.as(person.token).call('POST', `${path}/${id}`, {
      triageState: 'TRIAGE_STATE_IGNORED',
      triageReason: 'TRIAGE_REASON_FALSE_POSITIVE',
      note: 'Only in tests, with made-up data.',
    })
  }
  await owner.call('POST', `${path}/triage`, {
    filter: { pathPrefix: 'src/legacy/', severities: ['SEVERITY_LOW', 'SEVERITY_MEDIUM'] },
    triageState: 'TRIAGE_STATE_IGNORED',
    triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK',
    note: 'Goes away with the old shop.',
  })
}

async function remember(owner: DemoClient, deploymentId: number): Promise<void> {
  const path = `/api/ai/deployments/${deploymentId}/memories`
  await owner.call('POST', path, {
    content: 'Jobs run commands that we wrote ourselves, in a network of their own.',
    context: ['AI_MEMORY_CONTEXT_TRIAGE'],
    pathPrefixes: ['src/jobs'],
    vulnerabilityClass: 'CWE-78',
  })
  await owner.call('POST', `${path}/suggest`, {})
}

async function automate(owner: DemoClient, deploymentId: number): Promise<void> {
  const path = `/api/notifications/deployments/${deploymentId}/automations`
  const about = (type: string, ...values: string[]) => ({ mode: 'MODE_ANY', type: `CONDITION_TYPE_${type}`, values })
  await owner.call('POST', path, {
    name: 'No secrets in pull requests',
    description: 'A build that brings a secret along fails.',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: { mode: 'MODE_ALL', conditions: [about('PRODUCT', 'PRODUCT_TYPE_SECRETS')] },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }],
  })
  await owner.call('POST', path, {
    name: 'Tell the security team of incidents',
    triggerSource: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_EMAIL', config: { to: ['security@meadow.example'] } }],
  })
}

async function reportIssues(owner: DemoClient, deploymentId: number, { repositoryIds }: Organisation): Promise<void> {
  const dice = createDice(7)
  const titles = [
    'An agent may push to the main branch',
    'A prompt from a ticket reaches a shell',
    'A workflow runs with a token that may do everything',
    'A tool of an agent sends files to a foreign host',
    'An agent installs packages that nobody pinned',
  ]
  const ids = [...repositoryIds.values()]
  const issues = Array.from({ length: 30 }, (_, n) => ({
    externalKey: `demo-${n}`,
    title: dice.pick(titles),
    severity: `SEVERITY_${dice.pick(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'])}`,
    description: 'Found by looking at how the workflow is put together.',
    projectIds: [String(dice.pick(ids))],
    cwes: [dice.pick(['CWE-77', 'CWE-269', 'CWE-829'])],
  }))
  type Reported = { results: { issueId: string }[] }
  const { results } = await owner.call<Reported>('POST', `/api/issues/${deploymentId}/issues`, { issues })
  for (const { issueId } of results.slice(0, 8)) {
    await owner.call('POST', `/api/issues/${deploymentId}/issue/${issueId}`, {
      triageState: dice.pick(['TRIAGE_STATE_REVIEWING', 'TRIAGE_STATE_FIXING', 'TRIAGE_STATE_FIXED']),
    })
  }
}
