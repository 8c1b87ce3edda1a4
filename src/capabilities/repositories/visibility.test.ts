import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const base = `/api/repositories/v1/deployments/${deploymentId}`
const path = `${base}/repositories`
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`

async function addTeam(name: string, parentTeamId?: string): Promise<string> {
  const made = await gatehouse.call('POST', teams, { body: { team: { name, ...(parentTeamId && { parentTeamId }) } } })
  return made.body.team.id
}

async function addRepository(name: string, team?: string): Promise<number> {
  const { id } = (await gatehouse.call('POST', path, { body: { name, tags: [`of ${name}`] } })).body.repository
  const repositories = [{ repositoryId: String(id), action: 'UPDATE_ACTION_ADD' }]
  if (team) await gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: { repositories } } })
  return id
}

const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
const top = await addTeam('Top')
const middle = await addTeam('Middle', top)
const bottom = await addTeam('Bottom', middle)
const aside = await addTeam('Aside', top)
const ids = {
  top: await addRepository('top', top),
  middle: await addRepository('middle', middle),
  bottom: await addRepository('bottom', bottom),
  aside: await addRepository('aside', aside),
  nobodys: await addRepository('nobodys'),
}

async function seenBy(as: string): Promise<string[]> {
  const { body } = await gatehouse.call('GET', path, { as })
  return body.repositories.map((one: { name: string }) => one.name)
}

async function personIn(role: 'member' | 'readonly', team?: string, teamRole = 'TEAM_ROLE_MEMBER') {
  const person = await gatehouse.addPerson(role)
  const users = [{ userId: person.id, role: teamRole, action: 'UPDATE_ACTION_ADD' }]
  if (team) await gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: { users } } })
  return person
}

test('people see the repositories of their teams and of the teams below', async () => {
  const everything = ['top', 'middle', 'bottom', 'aside', 'nobodys']
  const cases: [string, string, string[]][] = [
    ['owner', gatehouse.owner.token, everything],
    ['admin', (await gatehouse.addPerson('admin')).token, everything],
    ['in the top team', (await personIn('member', top)).token, ['top', 'middle', 'bottom', 'aside']],
    ['in the middle', (await personIn('readonly', middle)).token, ['middle', 'bottom']],
    ['at the bottom', (await personIn('member', bottom, 'TEAM_ROLE_READONLY')).token, ['bottom']],
    ['manager aside', (await personIn('member', aside, 'TEAM_ROLE_MANAGER')).token, ['aside']],
    ['outside', (await personIn('member')).token, []],
  ]
  for (const [who, as, names] of cases) {
    assert.deepEqual(await seenBy(as), names, who)
    const { tags } = (await gatehouse.call('GET', `${base}/tags`, { as })).body
    assert.deepEqual(
      tags.map((tag: { name: string }) => tag.name),
      names.map((name) => `of ${name}`),
      who,
    )
  }
})

test('one who is in two teams of a branch sees each repository once', async () => {
  const person = await personIn('member', top)
  const users = [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }]
  await gatehouse.call('PATCH', `${teams}/${bottom}`, { body: { team: { users } } })
  assert.deepEqual(await seenBy(person.jwt), ['top', 'middle', 'bottom', 'aside'])
  const { tags } = (await gatehouse.call('GET', `${base}/tags`, { as: person.token })).body
  assert.deepEqual([...new Set(tags.map((tag: { repositoryCount: number }) => tag.repositoryCount))], [1])
})

test('a repository that one does not see is like one that does not exist', async () => {
  const { token } = await personIn('member', middle)
  const hidden = await gatehouse.call('GET', `${path}/${ids.top}`, { as: token })
  const nowhere = await gatehouse.call('GET', `${path}/999999`, { as: token })
  assert.equal(hidden.status, 404)
  assert.equal(hidden.body.detail.replace(String(ids.top), '#'), nowhere.body.detail.replace('999999', '#'))
  assert.equal((await gatehouse.call('GET', `${path}/${ids.bottom}`, { as: token })).status, 200)
  const inTeam = await gatehouse.call('GET', `${teams}/${top}/repositories`, { as: token })
  assert.deepEqual(inTeam.body.repositories, [])
})

test('leaving the team takes the repositories out of sight at once', async () => {
  const person = await personIn('member', bottom)
  assert.deepEqual(await seenBy(person.token), ['bottom'])
  const users = [{ userId: person.id, action: 'UPDATE_ACTION_REMOVE' }]
  await gatehouse.call('PATCH', `${teams}/${bottom}`, { body: { team: { users } } })
  assert.deepEqual(await seenBy(person.token), [])
})

test('members see but do not change', async () => {
  const { token } = await personIn('member', top, 'TEAM_ROLE_MANAGER')
  const calls: [string, string, object | undefined][] = [
    ['POST', path, { name: 'mine' }],
    ['PATCH', `${path}/${ids.top}`, { archived: true }],
    ['DELETE', `${path}/${ids.top}`, undefined],
  ]
  for (const [method, at, body] of calls) {
    assert.equal((await gatehouse.call(method, at, { as: token, ...(body && { body }) })).status, 403, method)
  }
})
