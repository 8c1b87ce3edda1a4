import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { upload } from '../../scans/test-upload.ts'

let gatehouse: TestGatehouse
let deploymentId: number
let member: Tester
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
  deploymentId = gatehouse.owner.deploymentId
  member = await gatehouse.addPerson('member')
})
after(() => gatehouse.close())

const files = { 'go.mod': 'module example.com/a\n\nrequire golang.org/x/text v0.3.0\n' }
const teams = () => `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = () => `/api/repositories/v1/deployments/${deploymentId}/repositories`
const create = async (name: string): Promise<number> =>
  (await gatehouse.call('POST', repositories(), { body: { name } })).body.repository.id
const seen = async (as: string): Promise<string[]> =>
  (await gatehouse.call('GET', `${repositories()}?pageSize=100`, { as })).body.repositories.map(
    (each: { name: string }) => each.name,
  )
const claim = (id: string, patterns: string[], membersCreate = false, more: object = {}) =>
  gatehouse.call('PUT', `${teams()}/${id}/claims`, { body: { patterns, membersCreate }, ...more })

async function team(name: string, users: { userId: number; role?: string }[] = []): Promise<string> {
  const { id } = (await gatehouse.call('POST', teams(), { body: { team: { name } } })).body.team
  const changed = await gatehouse.call('PATCH', `${teams()}/${id}`, { body: { team: { users } } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  return id
}

test('where the setting says so, new people see nothing until somebody puts them into a team', async () => {
  await create('visible/none')
  assert.deepEqual(await seen(member.token), [])
  const about = `/api/deployments/v1/deployments/${deploymentId}`
  assert.equal((await gatehouse.call('GET', about)).body.deployment.newPeopleSee, 'teams')
  const changed = await gatehouse.call('PATCH', about, { body: { newPeopleSee: 'all' } })
  assert.equal(changed.body.deployment.newPeopleSee, 'all')
  const later = await gatehouse.addPerson('member')
  assert.ok((await seen(later.token)).includes('visible/none'))
  assert.deepEqual(await seen(member.token), [], 'who is there already sees no more by it')
  await gatehouse.call('PATCH', about, { body: { newPeopleSee: 'teams' } })
  const refused = await gatehouse.call('PATCH', about, { as: later.token, body: { newPeopleSee: 'all' } })
  assert.equal(refused.status, 403)
})

test('a parent for new people above a team for new repositories gives them nothing either', async () => {
  const parent = (await gatehouse.call('POST', teams(), { body: { team: { name: 'Parent', isUserDefault: true } } }))
    .body.team
  const child = { name: 'Child', parentTeamId: parent.id, isProjectDefault: true }
  await gatehouse.call('POST', teams(), { body: { team: child } })
  await create('visible/child')
  const person = await gatehouse.addPerson('member')
  assert.deepEqual(await seen(person.token), [])
  await gatehouse.call('PATCH', `${teams()}/${parent.id}/defaults`, { body: { isUserDefault: false } })
})

test('a team claims repositories by name, those that are there and those that come later', async () => {
  await create('payments/api')
  await create('payments/api/v2')
  const id = await team('Payments', [{ userId: member.id }])
  const set = await claim(id, ['payments/*'])
  assert.deepEqual([set.status, set.body], [200, { patterns: ['payments/*'], membersCreate: false }])
  assert.deepEqual(await seen(member.token), ['payments/api'])
  await create('payments/web')
  await upload(gatehouse, { repository: 'payments/cli' }, files)
  await create('xpayments/web')
  assert.deepEqual((await seen(member.token)).sort(), ['payments/api', 'payments/cli', 'payments/web'])

  const renamed = (await gatehouse.call('GET', `${repositories()}?name=payments/web`)).body.repositories.find(
    (each: { name: string }) => each.name === 'payments/web',
  )
  await gatehouse.call('PATCH', `${repositories()}/${renamed.id}`, { body: { name: 'elsewhere/web' } })
  assert.deepEqual((await seen(member.token)).sort(), ['payments/api', 'payments/cli'])
  await claim(id, ['payments/**', 'elsewhere/web'])
  const all = ['elsewhere/web', 'payments/api', 'payments/api/v2', 'payments/cli']
  assert.deepEqual((await seen(member.token)).sort(), all)
  await claim(id, [])
  assert.deepEqual(await seen(member.token), [])
})

test('what is in the team by hand stays when its pattern goes, and what is claimed is not taken out by hand', async () => {
  const repositoryId = String(await create('hand/one'))
  const claimed = String(await create('hand/two'))
  const person = await gatehouse.addPerson('member')
  const id = await team('Hand', [{ userId: person.id }])
  const change = (list: object[]) =>
    gatehouse.call('PATCH', `${teams()}/${id}`, { body: { team: { repositories: list } } })
  await change([{ repositoryId, action: 'UPDATE_ACTION_ADD' }])
  await claim(id, ['hand/*'])
  const refused = await change([{ repositoryId: claimed, action: 'UPDATE_ACTION_REMOVE' }])
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/team/repositories/0/repositoryId'])
  await claim(id, [])
  assert.deepEqual(await seen(person.token), ['hand/one'])
  await claim(id, ['hand/*'])
  assert.equal((await change([])).status, 200)
  assert.deepEqual((await seen(person.token)).sort(), ['hand/one', 'hand/two'], 'a whole list leaves the claims')
  await claim(id, [])
  assert.deepEqual(await seen(person.token), [])
})

test('a member brings a repository into their own team where it is allowed, and nowhere else', async () => {
  const person = await gatehouse.addPerson('member')
  const reader = await gatehouse.addPerson('member')
  const id = await team('Bring', [{ userId: person.id }, { userId: reader.id, role: 'TEAM_ROLE_READONLY' }])
  await claim(id, ['bring/*'])
  const send = (repository: string, as: string) => upload(gatehouse, { repository }, files, { as })
  assert.deepEqual((await send('bring/new', person.token)).body.code, 'unknown_repository')
  await claim(id, ['bring/*', 'gatehouse/**'], true)
  const made = await send('bring/new', person.token)
  assert.deepEqual([made.status, made.body.createdRepository], [200, true], JSON.stringify(made.body))
  assert.deepEqual(await seen(person.token), ['bring/new'])
  for (const [name, as] of [
    ['bring/other', reader.token],
    ['elsewhere/new', person.token],
    ['bring/a/b', person.token],
    ['gatehouse/package-clients-7', person.token],
  ] as const) {
    const answer = await send(name, as)
    assert.deepEqual([name, answer.status, answer.body.code], [name, 422, 'unknown_repository'])
  }
})

test('a claim and a repository that come at the same moment find each other', async () => {
  const person = await gatehouse.addPerson('member')
  const id = await team('Race', [{ userId: person.id }])
  // A transaction that has made its repository and not ended yet, as a long upload would be.
  const { promise: made, resolve: isMade } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const { create: insert, nextRepositoryId } = await import('../../repositories/public.ts')
  const creating = gatehouse.db.transaction(systemActor(deploymentId, 'test'), async (tx) => {
    const fields = { name: 'race/one', archived: false, publiclyExposed: false, defaultBranch: 'main' }
    await insert(tx, await nextRepositoryId(tx), fields)
    isMade()
    await mayEnd
  })
  await made
  assert.equal((await claim(id, ['race/*'])).status, 200)
  end()
  await creating
  assert.deepEqual(await seen(person.token), ['race/one'])
})

test('bad patterns, foreign hands and old versions change nothing', async () => {
  const manager = await gatehouse.addPerson('member')
  const stranger = await gatehouse.addPerson('member')
  const id = await team('Bad', [{ userId: manager.id, role: 'TEAM_ROLE_MANAGER' }])
  for (const wrong of ['a//b', '/a', 'a***', '*a*b*c*d*e*f*g']) {
    const answer = await claim(id, ['fine/*', wrong])
    assert.deepEqual([wrong, answer.status, answer.body.errors[0].pointer], [wrong, 422, '/patterns/1'])
  }
  for (const wrong of ['', 'a[b]', 'a\\b', 'a\nb']) assert.equal((await claim(id, [wrong])).status, 400, wrong)
  assert.equal((await claim(id, ['**'], true, { as: manager.token })).status, 403, 'a manager claims nothing')
  assert.equal((await claim(id, ['**'], false, { headers: { 'if-match': '"99"' } })).status, 412)
  assert.equal((await claim('999999', ['**'])).status, 404)
  const shown = await gatehouse.call('GET', `${teams()}/${id}/claims`, { as: manager.token })
  assert.deepEqual(shown.body, { patterns: [], membersCreate: false })
  assert.equal((await gatehouse.call('GET', `${teams()}/${id}/claims`, { as: stranger.token })).status, 403)
  const rows = await gatehouse.db
    .as({ deploymentId })
    .query(sql`select from team_pattern where deployment_id = ${deploymentId} and team_id = ${Number(id)}`)
  assert.equal(rows.length, 0)
})
