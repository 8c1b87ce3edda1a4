import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ask } from '../../../../test/reports/report-answers.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { searchAll, sendLog } from '../test-findings.ts'
import { withoutNeedlessArchived } from './archived.ts'
import { count } from './count-store.ts'
import { readFilter } from './read-filter.ts'

let gatehouse: TestGatehouse
const path = '/api/findings/1/findings'
const repositories = '/api/repositories/v1/deployments/1/repositories'
const results = (...codes: string[]) => codes.map((code) => ({ code, path: `src/${code}.js` }))

before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  await sendLog(gatehouse, 'shop/web', results('a', 'b'))
})
after(() => gatehouse.close())

const actor = () => ({ deploymentId: 1, role: 'owner' }) as never

test('where nothing is archived, what is not archived is everything, by the same counters', async () => {
  const reader = gatehouse.db.as({ deploymentId: 1 })
  const wanted = readFilter(actor(), { archived: false })
  assert.equal((await withoutNeedlessArchived(reader, wanted)).archived, undefined)
})

test('findings of archived repositories are left out, or shown alone, by every list and number that is asked so', async () => {
  const sent = await sendLog(gatehouse, 'shop/attic', results('c', 'd', 'e'))
  assert.equal(sent.body.repositoryArchived, false)
  await gatehouse.call('PATCH', `${repositories}/${sent.body.scan.repositoryId}`, { body: { archived: true } })
  const again = await sendLog(gatehouse, 'shop/attic', results('c', 'd', 'e', 'f'))
  assert.equal(again.body.repositoryArchived, true)
  for (const [archived, number, names] of [
    [undefined, 6, ['shop/attic', 'shop/web']],
    [false, 2, ['shop/web']],
    [true, 4, ['shop/attic']],
  ] as const) {
    const filter = archived === undefined ? {} : { archived }
    const call = async (name: string, body: object) =>
      (await gatehouse.call('POST', `${path}/${name}`, { body: { filter, ...body } })).body
    assert.equal((await call('counts', {})).total, number)
    assert.equal((await call('export', {})).findings.length, number)
    for (const by of ['raisedAt', 'severity', 'stateChangedAt', 'path', 'repository', 'rule']) {
      assert.equal((await searchAll(gatehouse, { filter, sort: { by } })).length, number, by)
    }
    const { facets } = await call('facets', { fields: ['repositories'] })
    assert.deepEqual(facets[0].values.map(({ value }: { value: string }) => value).sort(), names)
    const { groups } = await call('groups', { by: 'repository' })
    assert.deepEqual(groups.map(({ value }: { value: string }) => value).sort(), names)
    const filters = filter
    assert.equal((await ask(gatehouse, 'funnel', { filters })).allFindings, number)
    assert.equal((await ask(gatehouse, 'backlog', { filters })).total, number)
    assert.equal((await ask(gatehouse, 'trends', { filters })).points.at(-1).open, number)
  }
})

test('what the menu counts is the sum of the list of repositories, by counters alone', async () => {
  const filter = {
    triageStates: ['TRIAGE_STATE_OPEN' as const],
    pullRequests: 'none' as const,
    once: true,
    archived: false,
  }
  const listed = (await gatehouse.call('POST', `${repositories}/search`, { body: {} })).body.repositories
  const sum = listed.reduce((total: number, { open }: { open: number }) => total + open, 0)
  const counting = countRows(gatehouse.db.as({ deploymentId: 1 }))
  const { rows } = await count(counting, actor(), readFilter(actor(), filter))
  assert.equal(
    rows.reduce((total, row) => total + row.count, 0),
    sum,
  )
  assert.equal(counting.rowsOf('finding'), 0)
})
