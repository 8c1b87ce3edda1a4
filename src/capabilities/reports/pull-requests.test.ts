import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ask, askAll } from '../../../test/reports/report-answers.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { recount } from '../findings/counters/recount.ts'
import { createReconcile } from '../findings/ingest/reconcile.ts'
import { observe } from '../findings/public.ts'
import { findingsPath, searchAll } from '../findings/test-findings.ts'
import { log, pullRequestsOf } from '../findings/test-pull-request.ts'

let gatehouse: TestGatehouse
let pullRequests: ReturnType<typeof pullRequestsOf>
before(async () => {
  gatehouse = await openGatehouse()
  pullRequests = pullRequestsOf(gatehouse)
  await pullRequests.setMode('comment')
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as({ deploymentId: 1 }))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const some = (count: number, name = 'old') => Array.from({ length: count }, (_, at) => ({ code: `${name}(${at})` }))
const of = (repository: string) => ({ filters: { projects: [repository], wholeDays: true } })
const funnel = async (repository: string) => (await ask(gatehouse, 'funnel', of(repository))).allFindings
const guardrails = async (repository: string) => {
  const { buckets, totalOpened, totalFixed } = await ask(gatehouse, 'guardrails-activity', of(repository))
  const open = buckets.reduce((sum: number, bucket: { open: number }) => sum + bucket.open, 0)
  return { open, totalOpened, totalFixed }
}

test('guardrails count what pull requests introduced, the funnel and the backlog what stands on branches', async () => {
  await pullRequests.send('report/sums', log(some(75)))
  for (const pullRequest of [1, 2, 3]) {
    const added = pullRequest === 2 ? some(2, 'added') : []
    await pullRequests.send('report/sums', log([...some(75), ...added]), { pullRequest })
  }
  assert.deepEqual(await guardrails('report/sums'), { open: 2, totalOpened: 2, totalFixed: 0 })
  assert.equal(await funnel('report/sums'), 75)
  assert.equal((await ask(gatehouse, 'backlog', of('report/sums'))).total, 75)
  await pullRequests.end('report/sums', 2)
  assert.deepEqual(await guardrails('report/sums'), { open: 0, totalOpened: 2, totalFixed: 0 }, 'left, and not fixed')
  const behind = await askAll(gatehouse, 'guardrails-activity/findings', {
    ...of('report/sums'),
    figure: 'totalOpened',
  })
  assert.equal(behind.length, 2)
})

test('a thing that stands on several branches is one, wherever else it is fixed', async () => {
  const refs = ['main', 'release-1', 'release-2']
  for (const ref of refs) await pullRequests.send('report/refs', log(some(5)), { ref })
  assert.equal(await funnel('report/refs'), 5)
  assert.equal((await ask(gatehouse, 'backlog', of('report/refs'))).total, 5)
  const { total, bySeverity } = await ask(gatehouse, 'backlog', { filters: { wholeDays: true } })
  const graded = Object.values(bySeverity as Record<string, number>).reduce((sum, one) => sum + one, 0)
  assert.equal(graded, total, 'of all repositories together it is one too')
  await pullRequests.send('report/refs', log(some(4)), { ref: 'main', commit: 'aaaaaaa' })
  assert.equal(await funnel('report/refs'), 5, 'it stands on the others')
  for (const ref of refs.slice(1)) await pullRequests.send('report/refs', log(some(4)), { ref, commit: 'bbbbbbb' })
  assert.equal(await funnel('report/refs'), 4)
  const equal = (count: number) => log(Array.from({ length: count }, (_, at) => ({ line: at + 1 })))
  await pullRequests.send('report/equal', equal(2))
  await pullRequests.send('report/equal', equal(3), { ref: 'release-1' })
  assert.equal(await funnel('report/equal'), 3, 'the most that a branch has')
})

test('a search with the same question answers as many as the report', async () => {
  const repository = 'report/agree'
  const suppressed = { rule: 'quiet', code: 'quiet()' }
  await pullRequests.send(repository, log([...some(8), suppressed]))
  await pullRequests.send(repository, log([...some(8), suppressed]), { ref: 'release' })
  await pullRequests.send(repository, log([...some(8), ...some(3, 'added')]), { pullRequest: 1 })
  const branch = { repositories: [repository], refs: ['main'] }
  const [first, second] = await searchAll(gatehouse, { filter: branch })
  const decide = (id: string, triageState: string) =>
    gatehouse.call('POST', `${findingsPath()}/${id}`, { body: { triageState } })
  await decide(first!.id, 'TRIAGE_STATE_PROVISIONALLY_IGNORED')
  await decide(second!.id, 'TRIAGE_STATE_IGNORED')
  const open = ['OPEN', 'REOPENED', 'REVIEWING', 'FIXING'].map((state) => `TRIAGE_STATE_${state}`)
  const count = async (filter: object) => {
    const body = { filter: { repositories: [repository], once: true, ...filter } }
    return (await gatehouse.call('POST', `${findingsPath()}/counts`, { body })).body.total
  }
  const { allFindings, possiblyExploitable } = await ask(gatehouse, 'funnel', of(repository))
  const standing = [...open, 'TRIAGE_STATE_PROVISIONALLY_IGNORED']
  assert.equal(allFindings, await count({ pullRequests: 'none', triageStates: standing }))
  assert.equal(possiblyExploitable, await count({ pullRequests: 'none', triageStates: open }))
  const listed = await askAll(gatehouse, 'funnel/findings', { ...of(repository), stage: 'allFindings' })
  assert.equal(listed.length, allFindings)
  const { open: introduced, totalOpened } = await guardrails(repository)
  assert.equal(introduced, await count({ pullRequests: 'only', triageStates: open, silenced: false }))
  assert.equal(totalOpened, await count({ pullRequests: 'only', silenced: false }))
})

test('malware that a repository contains is a priority, exposed or not', async () => {
  const body = { name: 'report/malware', publiclyExposed: false }
  const made = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', { body })
  const { reconcile } = createReconcile(async () => () => 'shown')
  const told = { title: 'Malware', message: 'It is malicious.', product: 'sca', severity: 'critical' } as const
  const observed = [1, 2, 3].map((at) =>
    observe({ ...told, fingerprint: `m${at}`, ruleId: 'MAL-1', reachability: 'reachable', malicious: true }),
  )
  const vulnerable = observe({ ...told, fingerprint: 'v', ruleId: 'GHSA-1', reachability: 'reachable' })
  const place = { repositoryId: made.body.repository.id, ref: 'main', pullRequest: 0, source: 'malware', scanId: 0 }
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    reconcile(tx, { ...place, complete: true, observed: [...observed, vulnerable] }),
  )
  const { byProduct, ...whole } = await ask(gatehouse, 'funnel', of('report/malware'))
  const stages = { allFindings: 4, possiblyExploitable: 4, internetExposed: 3, priorityFindings: 3 }
  assert.deepEqual([whole, byProduct.sca], [stages, stages])
})
