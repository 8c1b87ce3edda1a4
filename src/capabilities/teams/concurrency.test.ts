import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { until } from '../../jobs/test-queue.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

async function addTeam(): Promise<string> {
  return (await gatehouse.call('POST', teams, { body: { team: { name: 'Crowded' } } })).body.team.id
}

async function addRepositories(count: number, prefix: string): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
  const made = await Promise.all(names.map((name) => gatehouse.call('POST', repositories, { body: { name } })))
  const ids = made.map((answer) => answer.body.repository.id as number)
  return ids.sort((a, b) => a - b).map(String)
}

async function heldBy(team: string): Promise<string[]> {
  const { body } = await gatehouse.call('GET', `${teams}/${team}/repositories`)
  return body.repositories.map((one: { repositoryId: string }) => one.repositoryId)
}

test('50 updates at once leave one whole request, and every one of them counts', async () => {
  const team = await addTeam()
  const ids = await addRepositories(10, 'whole')
  // Each request names itself and, in binary, which repositories it wants.
  const wanted = (request: number) => ids.filter((_, index) => (request >> (index % 6)) & 1)
  const before = Number((await gatehouse.call('GET', `${teams}/${team}`)).headers.get('etag')!.replaceAll('"', ''))
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, request) => {
      const list = wanted(request).map((repositoryId) => ({ repositoryId }))
      const changes = { name: `Request ${request}`, repositories: request % 2 ? list : list.toReversed() }
      return gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: changes } })
    }),
  )
  for (const answer of answers) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  for (const [request, answer] of answers.entries()) {
    assert.equal(answer.body.team.repositoryCount, String(wanted(request).length))
  }
  const last = await gatehouse.call('GET', `${teams}/${team}`)
  assert.equal(last.headers.get('etag'), `"${before + 50}"`)
  const winner = Number(last.body.team.name.replace('Request ', ''))
  assert.deepEqual(await heldBy(team), wanted(winner))
})

test('of 50 updates with one If-Match exactly one wins, even when all ask for the same', async () => {
  for (const nameOf of [(request: number) => `Request ${request}`, () => 'The same']) {
    const team = await addTeam()
    const etag = (await gatehouse.call('GET', `${teams}/${team}`)).headers.get('etag')!
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, request) =>
        gatehouse.call('PATCH', `${teams}/${team}`, {
          headers: { 'if-match': etag },
          body: { team: { name: nameOf(request) } },
        }),
      ),
    )
    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.equal(answers.filter((answer) => answer.status === 412).length, 49)
    assert.equal((await gatehouse.call('GET', `${teams}/${team}`)).body.team.name, won[0]!.body.team.name)
  }
})

test('one Idempotency-Key 20 times at once has one effect and one answer', async () => {
  const make = (key: string, name: string) =>
    gatehouse.call('POST', teams, { headers: { 'idempotency-key': key }, body: { team: { name } } })
  const answers = await Promise.all(Array.from({ length: 20 }, () => make('make-once', 'Once')))
  for (const answer of answers) {
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(answer.body, answers[0]!.body)
    assert.equal(answer.headers.get('etag'), answers[0]!.headers.get('etag'))
  }
  const all = (await gatehouse.call('GET', teams)).body.teams
  assert.equal(all.filter((one: { name: string }) => one.name === 'Once').length, 1)
  assert.equal((await make('make-once', 'Twice')).body.code, 'idempotency_mismatch')

  const team = answers[0]!.body.team.id
  const renames = await Promise.all(
    Array.from({ length: 20 }, () =>
      gatehouse.call('PATCH', `${teams}/${team}`, {
        headers: { 'idempotency-key': 'rename-once' },
        body: { team: { name: 'Renamed' } },
      }),
    ),
  )
  assert.deepEqual([...new Set(renames.map((answer) => answer.headers.get('etag')))], ['"2"'])
})

test('teams of one name made at once get slugs of their own', async () => {
  const made = await Promise.all(
    Array.from({ length: 25 }, () => gatehouse.call('POST', teams, { body: { team: { name: 'Twins & Co' } } })),
  )
  const slugs = made.map((answer) => answer.body.team?.slug)
  assert.equal(new Set(slugs).size, 25)
  for (const slug of slugs) assert.match(slug, /^twins-co(-[a-z0-9]+)?$/)
})

test('repositories that vanish while teams take them in leave nothing half done', async () => {
  const team = await addTeam()
  const ids = await addRepositories(20, 'fleeting')
  const list = ids.map((repositoryId) => ({ repositoryId, action: 'UPDATE_ACTION_ADD' }))
  const answers = await Promise.all(
    ids.flatMap((id) => [
      gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: { repositories: list } } }),
      gatehouse.call('DELETE', `${repositories}/${id}`),
    ]),
  )
  for (const answer of answers) assert.ok([200, 422].includes(answer.status), JSON.stringify(answer.body))
  assert.deepEqual(await heldBy(team), [])
})

const people = `/api/people/v1/deployments/${deploymentId}/people`
const etagOf = async (team: string) => (await gatehouse.call('GET', `${teams}/${team}`)).headers.get('etag')!

test('whoever leaves the deployment leaves a new version of their teams, and of no others', async () => {
  const { id: userId } = await gatehouse.addPerson('member')
  const [theirs, other] = [await addTeam(), await addTeam()]
  const members = { users: [{ userId, role: 'TEAM_ROLE_MANAGER' }] }
  assert.equal((await gatehouse.call('PATCH', `${teams}/${theirs}`, { body: { team: members } })).status, 200)
  const [seen, seenOther] = [await etagOf(theirs), await etagOf(other)]
  assert.equal((await gatehouse.call('DELETE', `${people}/${userId}`)).status, 200)
  const rename = { team: { name: 'Renamed' } }
  const stale = await gatehouse.call('PATCH', `${teams}/${theirs}`, { headers: { 'if-match': seen }, body: rename })
  assert.equal(stale.status, 412)
  const fresh = await gatehouse.call('PATCH', `${teams}/${other}`, { headers: { 'if-match': seenOther }, body: rename })
  assert.equal(fresh.status, 200)
})

/** A transaction of its own, and whether somebody waits for it. */
async function inTheWay(t: TestContext) {
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(() => admin.end())
  await admin.query('begin')
  const blocking = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
  const awaited = () => until(async () => (await admin.query(blocking)).rows.length > 0)
  return { query: (text: string, values: unknown[]) => admin.query(text, values), awaited }
}

test('a team that somebody joins while they are being removed is at a new version too', async (t) => {
  const { id: userId } = await gatehouse.addPerson('member')
  const team = await addTeam()
  const { query, awaited } = await inTheWay(t)
  await query(`insert into team_member select $1, $2, $3, 'TEAM_ROLE_MEMBER'`, [deploymentId, team, userId])
  const removing = gatehouse.call('DELETE', `${people}/${userId}`)
  await awaited()
  const before = await etagOf(team)
  await query('commit', [])
  assert.equal((await removing).status, 200)
  assert.notEqual(await etagOf(team), before)
})

test('who is about to be removed keeps nobody waiting who is changing one of their teams', async (t) => {
  const { id: userId } = await gatehouse.addPerson('member')
  const team = await addTeam()
  const members = { users: [{ userId, role: 'TEAM_ROLE_MEMBER' }] }
  assert.equal((await gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: members } })).status, 200)
  const { query, awaited } = await inTheWay(t)
  await query('select from team where deployment_id = $1 and id = $2 for update', [deploymentId, team])
  const removing = gatehouse.call('DELETE', `${people}/${userId}`)
  await awaited()
  // What a change of a team does next; a removal that held the memberships by now would be in a deadlock with it.
  await query('select from membership where deployment_id = $1 for key share nowait', [deploymentId])
  await query('commit', [])
  assert.equal((await removing).status, 200)
})

test('people who are removed while teams take them in leave nothing half done', async () => {
  const team = await addTeam()
  const gone = await Promise.all(Array.from({ length: 6 }, () => gatehouse.addPerson('member')))
  const answers = await Promise.all(
    gone.flatMap(({ id: userId }) => [
      gatehouse.call('PATCH', `${teams}/${team}`, {
        body: { team: { users: [{ userId, role: 'TEAM_ROLE_MEMBER', action: 'UPDATE_ACTION_ADD' }] } },
      }),
      gatehouse.call('DELETE', `${people}/${userId}`),
    ]),
  )
  for (const { status, body } of answers) assert.ok([200, 422].includes(status), JSON.stringify(body))
  assert.equal((await gatehouse.call('GET', `${teams}/${team}`)).body.team.userCount, '0')
})
