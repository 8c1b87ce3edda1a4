import type { DemoClient } from '../client.ts'
import type { Organisation } from './organisation.ts'

type Finding = { id: string; ruleId: string; path: string }

/** What people made of all that: tests are ignored by two of them, old risks accepted, some are worked on, one memory is kept. */
export async function seedDecisions(
  owner: DemoClient,
  deploymentId: number,
  organisation: Organisation,
): Promise<void> {
  const path = `/api/findings/${deploymentId}/findings`
  await ignoreTests(owner, path, organisation)
  await work(owner, deploymentId, path, organisation)
  await remember(owner, deploymentId)
  await writeTickets(owner, deploymentId, path)
}

async function search(owner: DemoClient, path: string, filter: object, pageSize: number): Promise<Finding[]> {
  const body = { filter: { pullRequests: 'none', ...filter }, pageSize }
  return (await owner.call<{ findings: Finding[] }>('POST', `${path}/search`, body)).findings
}

async function ignoreTests(owner: DemoClient, path: string, { people }: Organisation): Promise<void> {
  const findings = await search(owner, path, { pathPrefix: 'test/' }, 40)
  for (const [at, { id }] of findings.entries()) {
    const person = people[at % 2]!
    await owner.as(person.token).call('POST', `${path}/${id}`, {
      triageState: 'TRIAGE_STATE_IGNORED',
      triageReason: 'TRIAGE_REASON_FALSE_POSITIVE',
      note: 'Only in tests, with made-up data.',
    })
  }
  await owner.call('POST', `${path}/triage`, {
    filter: { pathPrefix: 'src/legacy/', severities: ['SEVERITY_LOW'], triageStates: ['TRIAGE_STATE_OPEN'] },
    triageState: 'TRIAGE_STATE_IGNORED',
    triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK',
    note: 'Goes away with the old shop.',
  })
}

const remarks = [
  'I can have this done by Thursday.',
  'The same pattern is in the importer; I look at both.',
  'Needs a test first, the handler has none.',
]

async function work(owner: DemoClient, deploymentId: number, path: string, { people }: Organisation): Promise<void> {
  const discussions = `/api/discussions/v1/deployments/${deploymentId}`
  const open = { triageStates: ['TRIAGE_STATE_OPEN'] }
  const high = await search(owner, path, { ...open, severities: ['SEVERITY_HIGH'], pathPrefix: 'src/' }, 24)
  for (const [at, { id }] of high.entries()) {
    const triageState = at % 2 === 0 ? 'TRIAGE_STATE_REVIEWING' : 'TRIAGE_STATE_FIXING'
    const person = people[at % people.length]!
    await owner.as(person.token).call('POST', `${path}/${id}`, { triageState })
    await owner.call('POST', `${discussions}/assignments`, { findingIds: [id], assigneeId: String(person.id) })
    if (at % 4 === 0)
      await owner
        .as(person.token)
        .call('POST', `${discussions}/comments`, { findingId: id, text: remarks[at % remarks.length] })
  }
  const medium = await search(owner, path, { ...open, severities: ['SEVERITY_MEDIUM'], pathPrefix: 'src/admin/' }, 6)
  for (const { id } of medium) {
    await owner.as(people[2]!.token).call('POST', `${path}/${id}`, {
      triageState: 'TRIAGE_STATE_IGNORED',
      triageReason: 'TRIAGE_REASON_NO_TIME',
      note: 'Not before the new year.',
    })
  }
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

/** What is worst gets a ticket. */
async function writeTickets(owner: DemoClient, deploymentId: number, path: string): Promise<void> {
  const open = { triageStates: ['TRIAGE_STATE_OPEN'], severities: ['SEVERITY_CRITICAL'] }
  const worst = await search(owner, path, open, 8)
  const tickets = `/api/notifications/deployments/${deploymentId}/tickets`
  for (const { id } of worst) await owner.call('POST', tickets, { findingIds: [id] })
}
