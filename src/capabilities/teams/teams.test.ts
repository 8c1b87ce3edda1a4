import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

type TeamAnswer = { id: string; slug: string; name: string }

async function addTeam(team: object) {
  const answer = await gatehouse.call('POST', teams, { body: { team } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.team
}

async function allTeams(path = teams): Promise<TeamAnswer[]> {
  return (await gatehouse.call('GET', path)).body.teams
}

test('a new deployment has one team that everybody and everything joins', async () => {
  const [everyone, ...others] = await allTeams()
  assert.deepEqual(others, [])
  assert.deepEqual(everyone, {
    id: everyone!.id,
    deploymentId: String(deploymentId),
    name: 'Everyone',
    slug: 'everyone',
    parentTeamId: '',
    repositoryCount: '0',
    userCount: '1',
    childTeamCount: '0',
    isProjectDefault: true,
    isUserDefault: true,
    authorizedScopes: ['TEAM_SCOPE_DIRECT_MEMBER', 'TEAM_SCOPE_MANAGE'],
  })
  const members = await gatehouse.call('GET', `${teams}/${everyone!.id}/members`)
  assert.equal(members.body.members[0].email, gatehouse.owner.email)
  assert.equal(members.body.members[0].role, 'TEAM_ROLE_MANAGER')
  assert.equal(members.body.hasMore, false)
})

test('new people and new repositories join the teams that are the default for them, and no others', async () => {
  const forPeople = await addTeam({ name: 'People', isUserDefault: true })
  const forRepositories = await addTeam({ name: 'Repositories', isProjectDefault: true })
  const neither = await addTeam({ name: 'Neither' })
  const person = await gatehouse.addPerson('member')
  const made = await gatehouse.call('POST', repositories, { body: { name: 'joined' } })
  const counts: [TeamAnswer, string, string][] = [
    [forPeople, '1', '0'],
    [forRepositories, '0', '1'],
    [neither, '0', '0'],
  ]
  for (const [{ id, name }, users, held] of counts) {
    const { team } = (await gatehouse.call('GET', `${teams}/${id}`)).body
    assert.deepEqual([team.userCount, team.repositoryCount], [users, held], name)
  }
  const { members } = (await gatehouse.call('GET', `${teams}/${forPeople.id}/members`)).body
  assert.deepEqual(members, [
    { userId: person.id, name: person.email.split('@')[0], email: person.email, role: 'TEAM_ROLE_MEMBER' },
  ])
  const held = (await gatehouse.call('GET', `${teams}/${forRepositories.id}/repositories`)).body.repositories
  assert.deepEqual(held, [{ repositoryId: String(made.body.repository.id), name: 'joined' }])

  await gatehouse.call('PATCH', `${teams}/${forPeople.id}/defaults`, { body: { isUserDefault: false } })
  await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('GET', `${teams}/${forPeople.id}`)).body.team.userCount, '1')
  for (const { id } of [forPeople, forRepositories]) await gatehouse.call('DELETE', `${teams}/${id}`)
})

test('a tree of teams has three levels', async () => {
  const top = await addTeam({ name: 'Top' })
  const middle = await addTeam({ name: 'Middle', parentTeamId: top.id })
  const bottom = await addTeam({ name: 'Bottom', parentTeamId: Number(middle.id) })
  assert.equal(bottom.parentTeamId, middle.id)
  const fourth = await gatehouse.call('POST', teams, { body: { team: { name: 'Cellar', parentTeamId: bottom.id } } })
  assert.equal(fourth.status, 422)
  assert.equal(fourth.body.errors[0].pointer, '/team/parentTeamId')
  const orphan = await gatehouse.call('POST', teams, { body: { team: { name: 'Orphan', parentTeamId: '999999' } } })
  assert.equal(orphan.status, 422)

  await addTeam({ name: 'Middle too', parentTeamId: top.id })
  assert.equal((await gatehouse.call('GET', `${teams}/${top.id}`)).body.team.childTeamCount, '2')
  const children = await allTeams(`${teams}?parentTeamId=${top.id}`)
  assert.deepEqual(
    children.map((team) => team.name),
    ['Middle', 'Middle too'],
  )

  const refused = await gatehouse.call('DELETE', `${teams}/${middle.id}`)
  assert.equal(refused.status, 409)
  assert.equal((await gatehouse.call('DELETE', `${teams}/${bottom.id}`)).status, 200)
  const deleted = await gatehouse.call('DELETE', `${teams}/${middle.id}`)
  assert.equal(deleted.status, 200)
  assert.equal(deleted.body.team.id, middle.id)
  assert.equal((await gatehouse.call('GET', `${teams}/${middle.id}`)).status, 404)
  assert.equal((await gatehouse.call('GET', `${teams}/${top.id}`)).body.team.childTeamCount, '1')
})

test('a slug comes from the name and stays', async () => {
  const named: [string, RegExp][] = [
    ['Größe & Weite', /^gro-e-weite$/],
    ['Größe & Weite', /^gro-e-weite-2$/],
    ['支付', /^team$/],
  ]
  for (const [name, slug] of named) assert.match((await addTeam({ name })).slug, slug)
  const team = await addTeam({ name: 'Before' })
  const renamed = await gatehouse.call('PATCH', `${teams}/${team.id}`, { body: { team: { name: 'After' } } })
  assert.deepEqual([renamed.body.team.name, renamed.body.team.slug], ['After', 'before'])
})

test('lists come page by page', async () => {
  const names = Array.from({ length: 7 }, (_, index) => `Page ${index}`)
  for (const name of names) await addTeam({ name })
  const everything = await allTeams()
  const seen: TeamAnswer[] = []
  let cursor = ''
  for (;;) {
    const { body } = await gatehouse.call('GET', `${teams}?pageSize=3&cursor=${cursor}`)
    seen.push(...body.teams)
    cursor = body.cursor
    if (!body.hasMore) break
    assert.equal(body.teams.length, 3)
  }
  assert.deepEqual(seen, everything)
  assert.equal(cursor, '')
  const past = await gatehouse.call('GET', `${teams}?cursor=${everything.at(-1)!.id}`)
  assert.deepEqual(past.body, { teams: [], total: everything.length, hasMore: false, cursor: '' })
  for (const query of ['pageSize=0', 'pageSize=101', 'cursor=-1', 'page=1', 'parentTeamId=x']) {
    assert.equal((await gatehouse.call('GET', `${teams}?${query}`)).status, 400, query)
  }
})

test('only owners and admins create, delete and set defaults', async () => {
  const { id } = await addTeam({ name: 'Guarded' })
  const manager = await gatehouse.addPerson('member')
  const users = [{ userId: manager.id, role: 'TEAM_ROLE_MANAGER' }]
  await gatehouse.call('PATCH', `${teams}/${id}`, { body: { team: { users } } })
  const admin = await gatehouse.addPerson('admin')
  const calls: [string, string, object | undefined][] = [
    ['POST', teams, { team: { name: 'Mine' } }],
    ['PATCH', `${teams}/${id}/defaults`, { isUserDefault: false }],
    ['DELETE', `${teams}/${id}`, undefined],
  ]
  for (const [method, path, body] of calls) {
    const request = body ? { body } : {}
    assert.equal((await gatehouse.call(method, path, { ...request, as: manager.token })).status, 403, method)
    assert.equal((await gatehouse.call(method, path, { ...request, as: admin.token })).status, 200, method)
  }
})

test('teams of another deployment look like teams that do not exist', async () => {
  const other = await gatehouse.addDeployment()
  const theirs = `/api/permissions/v2/deployments/${other.id}/teams`
  const made = await gatehouse.call('POST', theirs, { as: other.as, body: { team: { name: 'Theirs' } } })
  const foreign = made.body.team.id
  const calls: [string, string, object | undefined][] = [
    ['GET', '', undefined],
    ['PATCH', '', { team: { name: 'Ours' } }],
    ['PATCH', '/defaults', { isUserDefault: true }],
    ['DELETE', '', undefined],
    ['GET', '/members', undefined],
    ['GET', '/repositories', undefined],
  ]
  for (const [method, rest, body] of calls) {
    const request = body ? { body } : {}
    const there = await gatehouse.call(method, `${teams}/${foreign}${rest}`, request)
    const nowhere = await gatehouse.call(method, `${teams}/999999${rest}`, request)
    assert.equal(there.status, 404, `${method} ${rest}`)
    assert.equal(there.body.detail.replace(foreign, '#'), nowhere.body.detail.replace('999999', '#'))
  }
  const child = await gatehouse.call('POST', teams, { body: { team: { name: 'Child', parentTeamId: foreign } } })
  assert.equal(child.status, 422)
  assert.equal((await gatehouse.call('GET', `${theirs}/${foreign}`, { as: other.as })).body.team.name, 'Theirs')
  assert.ok((await allTeams()).every((team) => team.id !== foreign))
})
