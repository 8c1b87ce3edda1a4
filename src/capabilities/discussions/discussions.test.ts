import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { findingsPath, searchAll, sendLog } from '../findings/test-findings.ts'
import type { DiscussionEntry } from './contract.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const base = '/api/discussions/v1/deployments/1'
const teams = '/api/permissions/v2/deployments/1/teams'
const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
const member = await gatehouse.addPerson('member')
const stranger = await gatehouse.addPerson('member')
const reader = await gatehouse.addPerson('readonly')
const scan = await sendLog(gatehouse, 'talk/ours', [
  { code: 'a', rule: 'one' },
  { code: 'b', rule: 'two' },
  { code: 'c', rule: 'three' },
])
const team = await gatehouse.call('POST', teams, { body: { team: { name: 'Talkers' } } })
const joined = {
  users: [member, reader].map(({ id }) => ({ userId: id, action: 'UPDATE_ACTION_ADD' })),
  repositories: [{ repositoryId: scan.body.scan.repositoryId, action: 'UPDATE_ACTION_ADD' }],
}
await gatehouse.call('PATCH', `${teams}/${team.body.team.id}`, { body: { team: joined } })
const found = await searchAll(gatehouse)
const idOf = (rule: string) => found.find((one) => one.ruleId === rule)!.id
const reported = await gatehouse.call('POST', '/api/issues/1/issues', {
  body: { issues: [{ externalKey: 'talk', title: 'An issue', severity: 'SEVERITY_HIGH' }] },
})
const issueId: string = reported.body.results[0].issueId

const nameOf = ({ email }: { email: string }) => names.get(email)!
const names = new Map<string, string>()
async function readNames(): Promise<void> {
  const { people } = (await gatehouse.call('GET', '/api/people/v1/deployments/1/people')).body
  for (const { email, name } of people) names.set(email, name)
}
await readNames()

const call = async (method: string, path: string, as: string, body?: object, headers?: Record<string, string>) =>
  gatehouse.call(method as 'GET', base + path, { as, ...(body && { body }), ...(headers && { headers }) })
const entries = async (findingId: string, as = gatehouse.owner.token): Promise<DiscussionEntry[]> =>
  (await call('GET', `/entries?findingId=${findingId}`, as)).body.entries

test('a comment is seen by whoever sees the finding, and by nobody else', async () => {
  const findingId = idOf('one')
  const text = '<b>Look</b> [here](javascript:x)'
  const made = await call('POST', '/comments', member.jwt, { findingId, text })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.deepEqual([made.body.entry.text, made.body.entry.authorName], [text, nameOf(member)])
  assert.equal((await entries(findingId, reader.jwt))[0]!.text, text)
  const { id } = made.body.entry
  for (const [method, path, body] of [
    ['GET', `/entries?findingId=${findingId}`, undefined],
    ['POST', '/comments', { findingId, text: 'x' }],
    ['PUT', `/comments/${id}`, { text: 'x' }],
    ['DELETE', `/comments/${id}`, undefined],
  ] as const) {
    assert.equal((await call(method, path, stranger.jwt, body)).status, 404, `${method} ${path}`)
  }
  const blind = await call('POST', '/assignments', stranger.jwt, { findingIds: [findingId], assigneeId: null })
  assert.equal(blind.status, 422)
  const byFilter = await call('POST', '/assignments', stranger.jwt, { findingFilter: {}, assigneeId: stranger.id })
  assert.deepEqual(byFilter.body, { changed: 0, unchanged: 0 })
  assert.equal((await call('POST', '/comments', reader.jwt, { findingId, text: 'x' })).status, 403)
  assert.equal((await entries(findingId)).length, 1)
})

test('only who wrote a comment edits it, with its version; admins may only delete it', async () => {
  const findingId = idOf('two')
  const { entry } = (await call('POST', '/comments', member.jwt, { findingId, text: 'First' })).body
  assert.equal((await call('PUT', `/comments/${entry.id}`, gatehouse.owner.jwt, { text: 'Mine' })).status, 403)
  const edited = await call('PUT', `/comments/${entry.id}`, member.jwt, { text: 'Second' }, { 'if-match': '"1"' })
  assert.deepEqual([edited.status, edited.body.entry.text], [200, 'Second'])
  assert.ok(edited.body.entry.editedAt)
  const stale = await call('PUT', `/comments/${entry.id}`, member.jwt, { text: 'Third' }, { 'if-match': '"1"' })
  assert.equal(stale.status, 412)
  const other = await gatehouse.addPerson('member')
  await gatehouse.call('PATCH', `${teams}/${team.body.team.id}`, {
    body: { team: { users: [{ userId: other.id, action: 'UPDATE_ACTION_ADD' }] } },
  })
  assert.equal((await call('DELETE', `/comments/${entry.id}`, other.jwt)).status, 403)
  const gone = await call('DELETE', `/comments/${entry.id}`, gatehouse.owner.jwt)
  assert.deepEqual([gone.status, gone.body.entry.text], [200, ''])
  assert.equal((await call('PUT', `/comments/${entry.id}`, member.jwt, { text: 'Again' })).status, 404)
  const [left] = await entries(findingId)
  assert.ok(left!.deletedAt)
  const audit = await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?pageSize=100')
  const actions = audit.body.events.map((event: { action: string }) => event.action)
  for (const action of ['comment.create', 'comment.edit', 'comment.delete']) assert.ok(actions.includes(action), action)
})

test('comments have an end, and say what they are about', async () => {
  const findingId = idOf('one')
  const refused = [
    { findingId, text: '' },
    { findingId, text: ' \n ' },
    { findingId, text: 'x'.repeat(10_001) },
    { text: 'x' },
    { findingId, issueId, text: 'x' },
  ]
  for (const body of refused) assert.equal((await call('POST', '/comments', member.jwt, body)).status, 400)
  assert.equal((await call('GET', '/entries', member.jwt)).status, 400)
})

test('findings are given to people of the deployment, found by them, and the history stays', async () => {
  const [one, two] = [idOf('one'), idOf('two')]
  const leaving = await gatehouse.addPerson('member')
  await readNames()
  const given = await call('POST', '/assignments', member.jwt, { findingIds: [one, two], assigneeId: leaving.id })
  assert.deepEqual(given.body, { changed: 2, unchanged: 0 })
  const again = await call('POST', '/assignments', member.jwt, {
    findingFilter: { ruleIds: ['one', 'three'] },
    assigneeId: leaving.id,
  })
  assert.deepEqual(again.body, { changed: 1, unchanged: 1 })
  const rules = async (assignees: string[], as: string) =>
    (await searchAll(gatehouse, { filter: { assignees } }, as)).map((finding) => finding.ruleId).sort()
  assert.deepEqual(await rules([String(leaving.id)], gatehouse.owner.token), ['one', 'three', 'two'])
  assert.deepEqual(await rules(['none'], gatehouse.owner.token), [])
  await call('POST', '/assignments', member.jwt, { findingIds: [one], assigneeId: member.id })
  assert.deepEqual(await rules(['me'], member.jwt), ['one'])
  assert.deepEqual(await rules(['me'], gatehouse.owner.jwt), [])
  assert.deepEqual(await rules(['me', String(leaving.id)], member.jwt), ['one', 'three', 'two'])
  const facet = await gatehouse.call('POST', `${findingsPath()}/facets`, { body: { fields: ['assignees'] } })
  assert.deepEqual(
    facet.body.facets[0].values.map((each: { label: string; count: number }) => [each.label, each.count]),
    [
      [nameOf(leaving), 2],
      [nameOf(member), 1],
    ],
  )
  const shown = await gatehouse.call('GET', `${findingsPath()}/${one}`)
  assert.deepEqual(shown.body.data.assignee, { id: String(member.id), name: nameOf(member) })
  await gatehouse.call('DELETE', `/api/people/v1/deployments/1/people/${leaving.id}`, { as: gatehouse.owner.jwt })
  assert.equal((await gatehouse.call('GET', `${findingsPath()}/${two}`)).body.data.assignee, null)
  assert.deepEqual(await rules(['none'], gatehouse.owner.token), ['three', 'two'])
  const [entry] = (await entries(two)).filter((each) => each.what === 'assignment')
  assert.equal(entry!.assignee?.name, nameOf(leaving))
  const nobody = await call('POST', '/assignments', member.jwt, { findingIds: [one], assigneeId: String(leaving.id) })
  assert.deepEqual([nobody.status, nobody.body.errors[0].pointer], [422, '/assigneeId'])
  const freed = await call('POST', '/assignments', member.jwt, { findingIds: [one], assigneeId: null })
  assert.deepEqual(freed.body, { changed: 1, unchanged: 0 })
  assert.equal((await entries(one))[0]!.assignee, null)
})

test('an assignment names one kind of thing in one way, and all of them exist', async () => {
  const one = idOf('one')
  for (const body of [{}, { findingIds: [one], issueIds: [issueId] }, { findingIds: [one], findingFilter: {} }]) {
    assert.equal((await call('POST', '/assignments', member.jwt, { ...body, assigneeId: null })).status, 400)
  }
  const some = await call('POST', '/assignments', member.jwt, { findingIds: [one, '99999'], assigneeId: member.id })
  assert.deepEqual([some.status, some.body.errors[0].pointer], [422, '/findingIds/1'])
  assert.equal((await gatehouse.call('GET', `${findingsPath()}/${one}`)).body.data.assignee, null)
})

test('issues are given and talked about in the same way', async () => {
  const assigned = await call('POST', '/assignments', member.jwt, { issueFilter: {}, assigneeId: member.id })
  assert.deepEqual(assigned.body, { changed: 1, unchanged: 0 })
  await call('POST', '/comments', member.jwt, { issueId, text: 'Hello' })
  const { body } = await call('GET', `/entries?issueId=${issueId}`, reader.jwt)
  assert.equal(body.assignee.name, nameOf(member))
  assert.deepEqual(
    body.entries.map((entry: DiscussionEntry) => entry.what),
    ['comment', 'assignment'],
  )
  const search = (assignees: string[]) =>
    gatehouse.call('POST', '/api/issues/1/issues/search', { as: member.jwt, body: { filter: { assignees } } })
  assert.equal((await search(['me'])).body.issues.length, 1)
  assert.equal((await search(['none'])).body.issues.length, 0)
})

test('a token that may not read findings learns nothing about them by what is said about them', async () => {
  const tokenFor = async (...scopes: string[]): Promise<string> => {
    const body = { name: 'Talker', webApi: true, scopes: ['discussions:read', 'discussions:write', ...scopes] }
    return (await gatehouse.call('POST', '/api/tokens/v1/deployments/1/tokens', { as: gatehouse.owner.jwt, body })).body
      .secret
  }
  const as = await tokenFor()
  const findingId = idOf('one')
  const reading = await tokenFor('findings:read')
  assert.equal((await call('GET', `/entries?findingId=${findingId}`, reading)).status, 200)
  assert.equal((await call('GET', `/entries?findingId=${findingId}`, as)).status, 403)
  assert.equal((await call('POST', '/comments', as, { findingId, text: 'x' })).status, 403)
  assert.equal((await call('POST', '/assignments', as, { findingFilter: {}, assigneeId: null })).status, 403)
  const own = (await entries(findingId)).find((entry) => entry.what === 'comment')
  assert.equal((await call('DELETE', `/comments/${own!.id}`, as)).status, 403)
})

test('what was said goes with the repository of the finding', async () => {
  const findingId = idOf('three')
  await call('POST', '/comments', member.jwt, { findingId, text: 'Goes too' })
  const path = `/api/repositories/v1/deployments/1/repositories/${scan.body.scan.repositoryId}`
  await gatehouse.call('DELETE', path, { as: gatehouse.owner.jwt })
  const [left] = await gatehouse.db
    .as(systemActor(1, 'test'))
    .query<{ count: number }>(sql`select count(*) from discussion_entry where deployment_id = 1 and kind = 'finding'`)
  assert.equal(left!.count, 0)
})
