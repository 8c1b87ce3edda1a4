import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql, { bulk } from 'sql-template-tag'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import type { SavedView } from './contract.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const base = '/api/views/v1/deployments/1'
const one = await gatehouse.addPerson('member')
const other = await gatehouse.addPerson('member')
const reader = await gatehouse.addPerson('readonly')

const view = { page: 'findings', name: 'Worst first', search: '?sev=critical&group=rule', shared: false }
const call = (method: string, path: string, as: string, body?: object, headers: Record<string, string> = {}) =>
  gatehouse.call(method, base + path, { as, headers, ...(body && { body }) })
const namesFor = async (as: string, page = 'findings') =>
  (await call('GET', `/views?page=${page}`, as)).body.views.map(({ name }: SavedView) => name)

test('own views are seen by nobody else, shared ones by everybody', async () => {
  const own = await call('POST', '/views', one.jwt, view)
  assert.equal(own.status, 200, JSON.stringify(own.body))
  const shared = await call('POST', '/views', one.jwt, { ...view, name: 'Everybody', shared: true })
  assert.deepEqual(await namesFor(one.jwt), ['Everybody', 'Worst first'])
  assert.deepEqual(await namesFor(other.jwt), ['Everybody'])
  assert.deepEqual(await namesFor(one.jwt, 'issues'), [])
  const { page: _, ...changes } = view
  assert.equal((await call('GET', `/views/${own.body.view.id}`, one.jwt)).headers.get('etag'), '"1"')
  for (const as of [other.jwt, gatehouse.owner.jwt]) {
    assert.equal((await call('GET', `/views/${own.body.view.id}`, as)).status, 404)
    assert.equal((await call('PUT', `/views/${own.body.view.id}`, as, changes)).status, 404)
    assert.equal((await call('DELETE', `/views/${own.body.view.id}`, as)).status, 404)
  }
  const path = `/views/${shared.body.view.id}`
  assert.equal((await call('PUT', path, other.jwt, { ...changes, shared: true })).status, 403)
  assert.equal((await call('DELETE', path, other.jwt)).status, 403)
  const mended = await call('PUT', path, gatehouse.owner.jwt, { ...changes, name: 'All', shared: true })
  assert.deepEqual([mended.status, mended.body.view.name, mended.headers.get('etag')], [200, 'All', '"2"'])
  const stale = await call('PUT', path, one.jwt, { ...changes, shared: true }, { 'if-match': '"1"' })
  assert.equal(stale.status, 412)
  assert.equal((await call('DELETE', path, one.jwt, undefined, { 'if-match': '"1"' })).status, 412)
  assert.equal((await call('DELETE', path, one.jwt)).status, 200)
})

test('a name stands once among own views, and once among shared ones', async () => {
  assert.equal((await call('POST', '/views', one.jwt, { ...view, name: 'worst FIRST' })).status, 409)
  assert.equal((await call('POST', '/views', other.jwt, view)).status, 200)
  assert.equal((await call('POST', '/views', one.jwt, { ...view, page: 'issues' })).status, 200)
  assert.equal((await call('POST', '/views', one.jwt, { ...view, shared: true })).status, 200)
  assert.equal((await call('POST', '/views', other.jwt, { ...view, shared: true })).status, 409)
})

test('a view is a search of a page and nothing else', async () => {
  const wrong = [
    { search: 'https://example.com/' },
    { search: '//example.com' },
    { search: '?a=\nb' },
    { search: `?${'x'.repeat(4_000)}` },
    { name: ' ' },
    { name: 'x'.repeat(81) },
    { page: 'settings' },
  ]
  for (const part of wrong) {
    const answer = await call('POST', '/views', one.jwt, { ...view, name: 'Other', ...part })
    assert.equal(answer.status, 400, JSON.stringify(part))
  }
})

test('who may only read keeps own views and shares none', async () => {
  assert.equal((await call('POST', '/views', reader.jwt, { ...view, shared: true })).status, 403)
  const own = await call('POST', '/views', reader.jwt, view)
  assert.equal(own.status, 200)
  const { page: _, ...changes } = view
  assert.equal((await call('PUT', `/views/${own.body.view.id}`, reader.jwt, { ...changes, shared: true })).status, 403)
})

test('there is an end to how many views somebody keeps, also when they are saved at once', async () => {
  const hoarder = await gatehouse.addPerson('member')
  const names = Array.from({ length: 104 }, (_, index) => `View ${index}`)
  const answers = await Promise.all(names.map((name) => call('POST', '/views', hoarder.jwt, { ...view, name })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 100)
  assert.equal(answers.filter(({ status }) => status === 409).length, 4)
})

test('shared views stay when who made them leaves; own ones go', async () => {
  const leaving = await gatehouse.addPerson('member')
  await call('POST', '/views', leaving.jwt, { ...view, name: 'Left behind', shared: true })
  await call('POST', '/views', leaving.jwt, { ...view, name: 'Gone' })
  await gatehouse.call('DELETE', `/api/people/v1/deployments/1/people/${leaving.id}`, { as: gatehouse.owner.jwt })
  assert.ok((await namesFor(one.jwt)).includes('Left behind'))
  const all = await gatehouse.call('GET', `${base}/views`, { as: gatehouse.owner.jwt })
  assert.ok(!all.body.views.some(({ name }: SavedView) => name === 'Gone'))
})

test("preferences are one's own, and change only as they were seen", async () => {
  const empty = await call('GET', '/preferences', one.jwt)
  assert.deepEqual([empty.body, empty.headers.get('etag')], [{ preferences: {} }, '"0"'])
  const chosen = { theme: 'dark', density: 'compact', findingColumns: ['severity', 'finding'] }
  const saved = await call('PUT', '/preferences', one.jwt, chosen, { 'if-match': '"0"' })
  assert.deepEqual([saved.status, saved.body.preferences, saved.headers.get('etag')], [200, chosen, '"1"'])
  assert.equal((await call('PUT', '/preferences', one.jwt, {}, { 'if-match': '"0"' })).status, 412)
  assert.deepEqual((await call('GET', '/preferences', other.jwt)).body.preferences, {})
  for (const wrong of [
    { theme: 'pink' },
    { findingColumns: ['<b>'] },
    { findingColumns: ['a', 'a'] },
    { colour: 'red' },
  ])
    assert.equal((await call('PUT', '/preferences', one.jwt, wrong)).status, 400, JSON.stringify(wrong))
})

test('no more views are shared than there may be, by a change either', async () => {
  const own = await gatehouse.addDeployment()
  const views = `/api/views/v1/deployments/${own.id}/views`
  const shared = Array.from({ length: 300 }, (_, n) => [own.id, 'findings', 0, 'Somebody', `View ${n}`, '', true])
  await gatehouse.db.transaction(systemActor(own.id, 'test'), (tx) =>
    tx.query(sql`insert into saved_view (deployment_id, page, owner_id, owner_name, name, search, shared)
      values ${bulk(shared)}`),
  )
  const { body } = await gatehouse.call('POST', views, { as: own.as, body: view })
  const { page: _, ...changes } = view
  const share = () =>
    gatehouse.call('PUT', `${views}/${body.view.id}`, { as: own.as, body: { ...changes, shared: true } })
  assert.equal((await share()).status, 409)
  await gatehouse.db.transaction(systemActor(own.id, 'test'), (tx) =>
    tx.query(sql`delete from saved_view where deployment_id = ${own.id} and name = 'View 1'`),
  )
  assert.equal((await share()).status, 200)
  // What is shared already takes no more room.
  assert.equal((await share()).status, 200)
})
