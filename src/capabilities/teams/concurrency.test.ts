import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHouse } from '../../../test/house.ts'

const house = await openHouse()
after(() => house.close())

const { deploymentId } = house.owner
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

async function addTeam(): Promise<string> {
  return (await house.call('POST', teams, { body: { team: { name: 'Crowded' } } })).body.team.id
}

async function addRepositories(count: number, prefix: string): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
  const made = await Promise.all(names.map((name) => house.call('POST', repositories, { body: { name } })))
  const ids = made.map((answer) => answer.body.repository.id as number)
  return ids.sort((a, b) => a - b).map(String)
}

async function heldBy(team: string): Promise<string[]> {
  const { body } = await house.call('GET', `${teams}/${team}/repositories`)
  return body.repositories.map((one: { repositoryId: string }) => one.repositoryId)
}

test('50 updates at once leave one whole request, and every one of them counts', async () => {
  const team = await addTeam()
  const ids = await addRepositories(10, 'whole')
  // Each request names itself and, in binary, which repositories it wants.
  const wanted = (request: number) => ids.filter((_, index) => (request >> (index % 6)) & 1)
  const before = Number((await house.call('GET', `${teams}/${team}`)).headers.get('etag')!.replaceAll('"', ''))
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, request) => {
      const list = wanted(request).map((repositoryId) => ({ repositoryId }))
      const changes = { name: `Request ${request}`, repositories: request % 2 ? list : list.toReversed() }
      return house.call('PATCH', `${teams}/${team}`, { body: { team: changes } })
    }),
  )
  for (const answer of answers) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  for (const [request, answer] of answers.entries()) {
    assert.equal(answer.body.team.repositoryCount, String(wanted(request).length))
  }
  const last = await house.call('GET', `${teams}/${team}`)
  assert.equal(last.headers.get('etag'), `"${before + 50}"`)
  const winner = Number(last.body.team.name.replace('Request ', ''))
  assert.deepEqual(await heldBy(team), wanted(winner))
})

test('of 50 updates with one If-Match exactly one wins, even when all ask for the same', async () => {
  for (const nameOf of [(request: number) => `Request ${request}`, () => 'The same']) {
    const team = await addTeam()
    const etag = (await house.call('GET', `${teams}/${team}`)).headers.get('etag')!
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, request) =>
        house.call('PATCH', `${teams}/${team}`, {
          headers: { 'if-match': etag },
          body: { team: { name: nameOf(request) } },
        }),
      ),
    )
    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.equal(answers.filter((answer) => answer.status === 412).length, 49)
    assert.equal((await house.call('GET', `${teams}/${team}`)).body.team.name, won[0]!.body.team.name)
  }
})

test('one Idempotency-Key 20 times at once has one effect and one answer', async () => {
  const make = (key: string, name: string) =>
    house.call('POST', teams, { headers: { 'idempotency-key': key }, body: { team: { name } } })
  const answers = await Promise.all(Array.from({ length: 20 }, () => make('make-once', 'Once')))
  for (const answer of answers) {
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(answer.body, answers[0]!.body)
    assert.equal(answer.headers.get('etag'), answers[0]!.headers.get('etag'))
  }
  const all = (await house.call('GET', teams)).body.teams
  assert.equal(all.filter((one: { name: string }) => one.name === 'Once').length, 1)
  assert.equal((await make('make-once', 'Twice')).body.code, 'idempotency_mismatch')

  const team = answers[0]!.body.team.id
  const renames = await Promise.all(
    Array.from({ length: 20 }, () =>
      house.call('PATCH', `${teams}/${team}`, {
        headers: { 'idempotency-key': 'rename-once' },
        body: { team: { name: 'Renamed' } },
      }),
    ),
  )
  assert.deepEqual([...new Set(renames.map((answer) => answer.headers.get('etag')))], ['"2"'])
})

test('teams of one name made at once get slugs of their own', async () => {
  const made = await Promise.all(
    Array.from({ length: 25 }, () => house.call('POST', teams, { body: { team: { name: 'Twins & Co' } } })),
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
      house.call('PATCH', `${teams}/${team}`, { body: { team: { repositories: list } } }),
      house.call('DELETE', `${repositories}/${id}`),
    ]),
  )
  for (const answer of answers) assert.ok([200, 422].includes(answer.status), JSON.stringify(answer.body))
  assert.deepEqual(await heldBy(team), [])
})
