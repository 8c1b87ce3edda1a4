import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../test/gatehouse.ts'
import { packagesOf, scansPath, upload } from './test-upload.ts'

let gatehouse: TestGatehouse
let member: Tester
before(async () => {
  gatehouse = await openGatehouse()
  member = await gatehouse.addPerson('member')
})
after(() => gatehouse.close())

const files = { 'go.mod': 'module example.com/a\n\nrequire golang.org/x/text v0.3.0\n' }
const teams = () => `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`

/** A repository that the member does not see: it is in no team. */
async function hidden(name: string): Promise<number> {
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const { id } = (await gatehouse.call('POST', path, { body: { name } })).body.repository
  for (const team of (await gatehouse.call('GET', teams())).body.teams) {
    const entry = { repositoryId: id, action: 'UPDATE_ACTION_REMOVE' }
    await gatehouse.call('PATCH', `${teams()}/${team.id}`, { body: { team: { repositories: [entry] } } })
  }
  return id
}

test('a member may upload to repositories of their teams, and creates new ones in the default team', async () => {
  const made = await upload(gatehouse, { repository: 'access/new' }, files, { as: member.token })
  assert.deepEqual([made.status, made.body.createdRepository], [200, true])
  const again = await upload(gatehouse, { repository: 'access/new', commit: '1111111' }, files, { as: member.token })
  assert.deepEqual([again.status, again.body.createdRepository], [200, false])
})

test('a readonly person, and a token without the scope, may look but not upload', async () => {
  const reader = await gatehouse.addPerson('readonly')
  const refused = await upload(gatehouse, { repository: 'access/no' }, files, { as: reader.token })
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, gatehouse.owner.deploymentId, {
    scopes: ['scans:read'],
  })
  assert.equal((await upload(gatehouse, { repository: 'access/no' }, files, { as: narrow })).status, 403)
  assert.equal((await gatehouse.call('GET', scansPath(gatehouse.owner.deploymentId), { as: narrow })).status, 200)
})

test('a repository that the member does not see takes no upload, and no second one of the name is made', async () => {
  const id = await hidden('access/hidden')
  await upload(gatehouse, { repository: 'access/hidden' }, files)
  const before = await packagesOf(gatehouse, 'access/hidden')
  const other = { 'go.mod': 'module example.com/a\n\nrequire golang.org/x/text v0.9.0\n' }
  const answer = await upload(gatehouse, { repository: 'access/hidden' }, other, { as: member.token })
  assert.deepEqual([answer.status, answer.body.code], [422, 'unknown_repository'])
  assert.deepEqual(await packagesOf(gatehouse, 'access/hidden'), before)
  const listed = await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}?repositoryId=${id}`)
  assert.equal(listed.body.scans.length, 1)

  const scan = listed.body.scans[0].id
  const theirs = await gatehouse.call('GET', `${scansPath(gatehouse.owner.deploymentId)}?repositoryId=${id}`, {
    as: member.token,
  })
  assert.deepEqual(theirs.body.scans, [])
  for (const path of [`/${scan}`, `/${scan}/receipt`]) {
    assert.equal(
      (await gatehouse.call('GET', scansPath(gatehouse.owner.deploymentId) + path, { as: member.token })).status,
      404,
    )
  }
})

test('a name that is hidden and one that is free answer alike, to whoever does not see everything', async () => {
  await hidden('access/secret')
  const before = await repositoryNames()
  const told = async (repository: string, as: string, more: object = {}) => {
    const { status, body } = await upload(gatehouse, { repository, ...more }, files, { as })
    const { requestId: _, ...rest } = body
    return { status, ...JSON.parse(JSON.stringify(rest).replaceAll(repository, 'NAME')) }
  }
  for (const more of [{}, { createRepository: false }, { performedAt: '2020-01-01T00:00:00Z' }]) {
    const free = await told('access/nobody-has-this', member.token, more)
    assert.deepEqual([free.status, free.code], [422, 'unknown_repository'])
    assert.match(
      free.detail,
      /^No repository 'NAME' that this token sees\. Somebody who sees all .* one of its teams\.$/,
    )
    assert.deepEqual(await told('access/secret', member.token, more), free)
    assert.deepEqual(await told('gatehouse/package-clients', member.token, more), free)
  }
  assert.deepEqual(await repositoryNames(), before)
  const owners = await upload(gatehouse, { repository: 'access/by-the-owner' }, files)
  assert.deepEqual([owners.status, owners.body.createdRepository], [200, true])
})

async function repositoryNames(): Promise<string[]> {
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories?pageSize=100`
  return (await gatehouse.call('GET', path)).body.repositories.map(({ name }: { name: string }) => name)
}

test('where nothing is hidden a member creates, but no name that package clients may come to have', async () => {
  const other = await gatehouse.addDeployment()
  const somebody = await gatehouse.addPerson('member', other)
  const how = { as: somebody.token, deploymentId: other.id }
  assert.equal((await upload(gatehouse, { repository: 'access/mine' }, files, how)).status, 200)
  const reserved = await upload(gatehouse, { repository: 'gatehouse/package-clients-2' }, files, how)
  assert.deepEqual([reserved.status, reserved.body.code], [422, 'unknown_repository'])
})

test('without createRepository an unknown one is refused', async () => {
  const answer = await upload(gatehouse, { repository: 'access/unknown', createRepository: false }, files)
  assert.deepEqual([answer.status, answer.body.code], [422, 'unknown_repository'])
})

test('who would not see the repository they create may not create it', async () => {
  const other = await gatehouse.addDeployment()
  const lonely = await gatehouse.addPerson('member', other)
  const path = `/api/permissions/v2/deployments/${other.id}/teams`
  for (const team of (await gatehouse.call('GET', path, { as: other.as })).body.teams) {
    const users = [{ userId: lonely.id, action: 'UPDATE_ACTION_REMOVE' }]
    await gatehouse.call('PATCH', `${path}/${team.id}`, { as: other.as, body: { team: { users } } })
  }
  const how = { as: lonely.token, deploymentId: other.id }
  const answer = await upload(gatehouse, { repository: 'access/lonely' }, files, how)
  assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden'])
  const listed = await gatehouse.call('GET', `/api/repositories/v1/deployments/${other.id}/repositories`, {
    as: other.as,
  })
  assert.deepEqual(listed.body.repositories, [])
})

test('deployments know nothing of each other', async () => {
  const other = await gatehouse.addDeployment()
  await upload(gatehouse, { repository: 'access/both' }, files)
  const theirs = await upload(gatehouse, { repository: 'access/both' }, files, { as: other.as, deploymentId: other.id })
  assert.deepEqual([theirs.status, theirs.body.createdRepository, theirs.body.repeated], [200, true, false])
  const foreign = await upload(gatehouse, { repository: 'access/both' }, files, { as: other.as })
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found'])
  const path = `${scansPath(gatehouse.owner.deploymentId)}/${theirs.body.scan.id}`
  assert.equal((await gatehouse.call('GET', path)).status, 404)
})
