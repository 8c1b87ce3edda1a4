import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

const [ann, bob, cid] = [
  await gatehouse.addPerson('member'),
  await gatehouse.addPerson('member'),
  await gatehouse.addPerson('readonly'),
]
const [web, api, cli] = [await addRepository('web'), await addRepository('api'), await addRepository('cli')]

/** A fresh team with Ann as manager, Bob as member, and the repositories web and api. */
let team: string
beforeEach(async () => {
  const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Payments' } } })
  team = made.body.team.id
  const filled = await update({
    users: [{ userId: ann.id, role: 'TEAM_ROLE_MANAGER' }, { userId: bob.id }],
    repositories: [{ repositoryId: web }, { repositoryId: api }],
  })
  assert.equal(filled.status, 200)
})

async function addRepository(name: string): Promise<string> {
  const made = await gatehouse.call('POST', repositories, { body: { name } })
  return String(made.body.repository.id)
}

function update(changes: object, as = gatehouse.owner.token, headers: Record<string, string> = {}) {
  return gatehouse.call('PATCH', `${teams}/${team}`, { as, headers, body: { team: changes } })
}

async function stateOf() {
  const { name } = (await gatehouse.call('GET', `${teams}/${team}`)).body.team
  const members = (await gatehouse.call('GET', `${teams}/${team}/members`)).body.members
  const held = (await gatehouse.call('GET', `${teams}/${team}/repositories`)).body.repositories
  return {
    name,
    users: Object.fromEntries(members.map((m: { userId: number; role: string }) => [m.userId, m.role])),
    repositories: held.map((r: { repositoryId: string }) => r.repositoryId),
  }
}

const MEMBER = 'TEAM_ROLE_MEMBER'
const MANAGER = 'TEAM_ROLE_MANAGER'
const READONLY = 'TEAM_ROLE_READONLY'
const start = { name: 'Payments', users: { [ann.id]: MANAGER, [bob.id]: MEMBER }, repositories: [web, api] }
const [ADD, UPDATE, REMOVE] = ['UPDATE_ACTION_ADD', 'UPDATE_ACTION_UPDATE', 'UPDATE_ACTION_REMOVE']

const changes: [string, object, object][] = [
  ['nothing', {}, {}],
  ['the name alone', { name: 'Money' }, { name: 'Money' }],
  ['users as a whole', { users: [{ userId: cid.id, role: READONLY }] }, { users: { [cid.id]: READONLY } }],
  ['users as a whole, role left out', { users: [{ userId: ann.id }] }, { users: { [ann.id]: MEMBER } }],
  ['no users any more', { users: [] }, { users: {} }],
  ['a user id as a string of digits', { users: [{ userId: String(bob.id) }] }, { users: { [bob.id]: MEMBER } }],
  ['one more user', { users: [{ userId: cid.id, action: ADD }] }, { users: { ...start.users, [cid.id]: MEMBER } }],
  ['a user who is there already', { users: [{ userId: ann.id, action: ADD }] }, {}],
  [
    'a role',
    { users: [{ userId: bob.id, action: UPDATE, role: MANAGER }] },
    { users: { [ann.id]: MANAGER, [bob.id]: MANAGER } },
  ],
  ['one user fewer', { users: [{ userId: bob.id, action: REMOVE }] }, { users: { [ann.id]: MANAGER } }],
  ['a user fewer who is not there', { users: [{ userId: cid.id, action: REMOVE }] }, {}],
  [
    'several users at once',
    {
      users: [
        { userId: ann.id, action: REMOVE },
        { userId: bob.id, action: UPDATE, role: READONLY },
        { userId: cid.id, action: ADD, role: MANAGER },
      ],
    },
    { users: { [bob.id]: READONLY, [cid.id]: MANAGER } },
  ],
  ['repositories as a whole', { repositories: [{ repositoryId: cli }] }, { repositories: [cli] }],
  ['no repositories any more', { repositories: [] }, { repositories: [] }],
  ['a repository id as a number', { repositories: [{ repositoryId: Number(api) }] }, { repositories: [api] }],
  [
    'one repository more, one fewer',
    {
      repositories: [
        { repositoryId: cli, action: ADD },
        { repositoryId: web, action: REMOVE },
        { repositoryId: api, action: UPDATE },
      ],
    },
    { repositories: [api, cli] },
  ],
  [
    'one list as a whole, the other by entries',
    { name: 'Money', users: [{ userId: cid.id, action: ADD }], repositories: [] },
    { name: 'Money', users: { ...start.users, [cid.id]: MEMBER }, repositories: [] },
  ],
]

for (const [name, body, expected] of changes) {
  test(`changes ${name}`, async () => {
    const answer = await update(body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const state = { ...start, ...expected }
    assert.deepEqual(await stateOf(), state)
    assert.equal(answer.body.team.userCount, String(Object.keys(state.users).length))
    assert.equal(answer.body.team.repositoryCount, String(state.repositories.length))
  })
}

const nobody = 999_999
const many = (entry: (index: number) => object) => Array.from({ length: 501 }, (_, index) => entry(index + 1))
const refusals: [string, object, number, string, string[]][] = [
  ['an unknown field', { nam: 'x' }, 400, 'validation_failed', ['/team/nam']],
  ['an empty name', { name: '' }, 400, 'validation_failed', ['/team/name']],
  ['a list that is none', { users: {} }, 400, 'validation_failed', ['/team/users']],
  ['an unknown role', { users: [{ userId: 1, role: 'BOSS' }] }, 400, 'validation_failed', ['/team/users/0/role']],
  ['an unknown action', { users: [{ userId: 1, action: 'X' }] }, 400, 'validation_failed', ['/team/users/0/action']],
  [
    'actions in some entries',
    { users: [{ userId: ann.id, action: ADD }, { userId: bob.id }] },
    400,
    'validation_failed',
    ['/team/users/1'],
  ],
  [
    'the same ids again, all faults at once',
    {
      users: [{ userId: bob.id }, { userId: bob.id }],
      repositories: [{ repositoryId: web }, { repositoryId: Number(web) }, { repositoryId: `0${web}` }],
    },
    400,
    'validation_failed',
    ['/team/repositories/1/repositoryId', '/team/repositories/2/repositoryId', '/team/users/1/userId'],
  ],
  ['501 users', { users: many((userId) => ({ userId })) }, 400, 'validation_failed', ['/team/users']],
  [
    '501 repositories',
    { repositories: many((id) => ({ repositoryId: String(id) })) },
    400,
    'validation_failed',
    ['/team/repositories'],
  ],
  [
    'an unknown user, with a good name',
    { name: 'Money', users: [{ userId: ann.id }, { userId: nobody }] },
    422,
    'unknown_person',
    ['/team/users/1/userId'],
  ],
  [
    'an unknown user to remove',
    { users: [{ userId: nobody, action: REMOVE }] },
    422,
    'unknown_person',
    ['/team/users/0/userId'],
  ],
  [
    'unknown repositories and users',
    { repositories: [{ repositoryId: String(nobody) }, { repositoryId: web }], users: [{ userId: nobody + 1 }] },
    422,
    'unknown_repository',
    ['/team/repositories/0/repositoryId', '/team/users/0/userId'],
  ],
  [
    'an update of somebody who is not in the team',
    { name: 'Money', users: [{ userId: cid.id, action: UPDATE, role: MANAGER }] },
    422,
    'unprocessable',
    ['/team/users/0/userId'],
  ],
  [
    'an update of a repository that is not in the team',
    { repositories: [{ repositoryId: cli, action: UPDATE }] },
    422,
    'unprocessable',
    ['/team/repositories/0/repositoryId'],
  ],
]

for (const [name, body, status, code, pointers] of refusals) {
  test(`refuses ${name} and changes nothing`, async () => {
    const answer = await update(body)
    assert.equal(answer.status, status)
    assert.equal(answer.body.code, code)
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      pointers,
    )
    assert.deepEqual(await stateOf(), start)
  })
}

test('names what is unknown', async () => {
  const body = { repositories: [{ repositoryId: String(nobody) }], users: [{ userId: nobody + 1 }] }
  const { detail } = (await update(body)).body
  assert.match(detail, new RegExp(`repository ${nobody}\\b`))
  assert.match(detail, new RegExp(`user ${nobody + 1}\\b`))
})

test('500 entries are taken', async () => {
  const users = Array.from({ length: 499 }, (_, index) => ({ userId: nobody + index }))
  const answer = await update({ users: [{ userId: ann.id }, ...users] })
  assert.equal(answer.body.code, 'unknown_person')
  assert.equal(answer.body.errors.length, 499)
})

test('answers the whole team as the caller stands to it', async () => {
  const body = { name: 'Money' }
  assert.deepEqual((await update(body)).body, {
    team: {
      id: team,
      deploymentId: String(deploymentId),
      name: 'Money',
      slug: (await gatehouse.call('GET', `${teams}/${team}`)).body.team.slug,
      parentTeamId: '',
      repositoryCount: '2',
      userCount: '2',
      childTeamCount: '0',
      isProjectDefault: false,
      isUserDefault: false,
      authorizedScopes: ['TEAM_SCOPE_MANAGE'],
    },
  })
  const asManager = await update(body, ann.token)
  assert.deepEqual(asManager.body.team.authorizedScopes, ['TEAM_SCOPE_DIRECT_MEMBER', 'TEAM_SCOPE_MANAGE'])
})

test('owners, admins and managers of the team may, with a token or signed in; others may not', async () => {
  const admin = await gatehouse.addPerson('admin')
  const table: [string, string, number][] = [
    ['owner', gatehouse.owner.token, 200],
    ['owner signed in', gatehouse.owner.jwt, 200],
    ['admin', admin.token, 200],
    ['manager', ann.token, 200],
    ['manager signed in', ann.jwt, 200],
    ['member of the team', bob.token, 403],
    ['stranger to the team', cid.token, 403],
  ]
  for (const [who, as, status] of table) assert.equal((await update({ name: 'Payments' }, as)).status, status, who)
  const narrow = await gatehouse.makeToken(ann.jwt, deploymentId, { scopes: ['teams:read'] })
  assert.equal((await update({ name: 'Other' }, narrow)).status, 403)
  assert.deepEqual(await stateOf(), start)
})

test('a manager gives the team only repositories that they see themselves', async () => {
  const everyone = (await gatehouse.call('GET', teams)).body.teams.find(
    (one: { slug: string }) => one.slug === 'everyone',
  )
  await gatehouse.call('PATCH', `${teams}/${everyone.id}/defaults`, { body: { isProjectDefault: false } })
  const secret = await addRepository('secret')
  for (const action of [undefined, ADD]) {
    const answer = await update({ repositories: [{ repositoryId: secret, ...(action && { action }) }] }, ann.token)
    const absent = await update({ repositories: [{ repositoryId: '999999', ...(action && { action }) }] }, ann.token)
    assert.equal(answer.status, 422)
    assert.equal(answer.body.code, absent.body.code)
    assert.equal(answer.body.detail.replace(secret, '#'), absent.body.detail.replace('999999', '#'))
  }
  assert.deepEqual(await stateOf(), start)
  assert.equal((await update({ repositories: [{ repositoryId: secret, action: ADD }] })).status, 200)
  assert.equal((await update({ repositories: [{ repositoryId: secret }] }, ann.token)).status, 200)
})

test('If-Match changes only the version that was seen', async () => {
  const seen = (await gatehouse.call('GET', `${teams}/${team}`)).headers.get('etag')!
  const first = await update({ name: 'First' }, gatehouse.owner.token, { 'if-match': seen })
  assert.equal(first.status, 200)
  const second = await update({ name: 'Second' }, gatehouse.owner.token, { 'if-match': seen })
  assert.equal(second.status, 412)
  assert.equal((await stateOf()).name, 'First')
  const etag = first.headers.get('etag')!
  assert.equal((await update({ name: 'Third' }, gatehouse.owner.token, { 'if-match': etag })).status, 200)
})

test('what happens to a team is in the audit log', async () => {
  await update({ name: 'Money', users: [{ userId: cid.id, action: ADD }] })
  const { events } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events`)).body
  const event = events.find((one: { target: string }) => one.target === `team:${team}`)
  assert.equal(event.action, 'team.update')
  assert.deepEqual(event.detail, { name: 'Money', users: [{ userId: cid.id, action: ADD }] })
})
