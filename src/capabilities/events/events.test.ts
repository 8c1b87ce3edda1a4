import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { sarifLog } from '../findings/test-log.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import { openTestStream, patienceMs, type TestStream } from './test-stream.ts'

let gatehouse: TestGatehouse
const opened: TestStream[] = []
before(async () => {
  gatehouse = await openGatehouse()
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
  await upload(gatehouse, { repository: 'shop/web' }, { 'package-lock.json': packageLock({ lodash: '4.17.20' }) })
})
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

const allGone = () => poll('no stream is left', async () => gatehouse.events.count() === 0, patienceMs)
after(() => gatehouse.close())

const path = '/api/events/v1/deployments/1/stream'

async function listen(
  as = gatehouse.owner.token,
  {
    url = gatehouse.url,
    headers = {},
    search = '',
    paused = false,
  }: Partial<Record<'url' | 'search', string>> & {
    headers?: Record<string, string>
    paused?: boolean
  } = {},
): Promise<TestStream> {
  const stream = await openTestStream(`${url}${path}${search}`, {
    headers: { ...(as && { authorization: `Bearer ${as}` }), ...headers },
    paused,
  })
  opened.push(stream)
  if (stream.status === 200 && !paused) await poll('it begins', async () => stream.lastId() !== '', patienceMs)
  return stream
}

let made = 0
async function makeTeam(as?: string): Promise<void> {
  const answer = await gatehouse.call('POST', '/api/permissions/v2/deployments/1/teams', {
    ...(as && { as }),
    body: { team: { name: `Team ${made++}` } },
  })
  assert.equal(answer.status, 200)
}

async function find(repository = 'shop/web'): Promise<void> {
  const results = [{ rule: 'r', path: `f-${made++}.js`, code: `x(${made})` }]
  const answer = await upload(gatehouse, { repository }, { 'log.sarif': sarifLog({ tool: `T${made}`, results }) })
  assert.equal(answer.status, 200)
}

test('what changes is told by its name, and by nothing else', async () => {
  const stream = await listen()
  assert.equal(stream.type, 'text/event-stream; charset=utf-8')
  await makeTeam()
  await stream.heard('teams')
  await find()
  await stream.heard('findings')
  assert.ok(stream.names().includes('scans'))
  assert.doesNotMatch(stream.text(), /shop|Team/)
  for (const line of stream.text().split('\n'))
    assert.match(line, /^(|retry: \d+|id: \d+-\d+|event: changed|data: \{"changed":\[.*\]\}|: nothing new)$/)
})

test('a client that asks once gets the place to begin from', async () => {
  const { status, body } = await gatehouse.call('GET', path)
  assert.equal(status, 200)
  assert.match(body, /^retry: 3000\nid: \d+-\d+\n: nothing new\n\n$/)
})

test('a change at another process is told too', { timeout: 60_000 }, async () => {
  const other = await gatehouse.anotherProcess()
  try {
    const stream = await listen(undefined, { url: other.url })
    await makeTeam()
    await stream.heard('teams')
    const here = await listen()
    const answer = await other.call('POST', '/api/permissions/v2/deployments/1/teams', {
      body: { team: { name: 'There' } },
    })
    assert.equal(answer.status, 200)
    await here.heard('teams')
  } finally {
    await other.close()
  }
})

test('who comes back with the last id hears what they missed, by header or query, and nothing twice', async () => {
  const first = await listen()
  await makeTeam()
  await first.heard('teams')
  const id = first.lastId()
  first.close()
  await find()
  const probe = await listen()
  await makeTeam()
  await probe.heard('teams')
  const again = await listen(undefined, { headers: { 'last-event-id': id } })
  await again.heard('findings')
  const byQuery = await listen(undefined, { search: `?lastEventId=${id}` })
  await byQuery.heard('findings')
  const current = await listen(undefined, { headers: { 'last-event-id': again.lastId() } })
  assert.deepEqual(current.names(), [])
})

test('an id from long ago, or from elsewhere, is answered with everything that the caller may read', async () => {
  const scopes = ['deployment:read', 'findings:read', 'teams:read']
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes })
  for (const id of ['0-0', `1-${Date.now() - 3_600_000}`, `999999999999-${Date.now()}`]) {
    const stream = await listen(narrow, { headers: { 'last-event-id': id } })
    assert.deepEqual(stream.names().sort(), ['deployment', 'findings', 'teams'])
  }
  for (const id of ['x', '1', '-', '1-2-3', '99999999999999999-1']) {
    assert.equal((await listen(undefined, { headers: { 'last-event-id': id } })).status, 400)
  }
})

test('nobody hears of what they may not read, or of repositories they do not see', async () => {
  const member = await gatehouse.addPerson('member')
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['deployment:read', 'findings:read'] })
  const [outside, narrowed, all] = [await listen(member.token), await listen(narrow), await listen()]
  await find()
  await makeTeam()
  await all.heard('findings')
  await all.heard('teams')
  await outside.heard('teams')
  await narrowed.heard('findings')
  assert.deepEqual(
    outside.names().filter((name) => ['findings', 'scans', 'audit', 'jobs'].includes(name)),
    [],
  )
  assert.deepEqual([...new Set(narrowed.names())], ['findings'])
  const { body } = await gatehouse.call('POST', '/api/permissions/v2/deployments/1/teams', {
    body: { team: { name: 'Shop' } },
  })
  const give = { repositories: [{ repositoryId: '1' }], users: [{ userId: member.id }] }
  const answer = await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${body.team.id}`, {
    body: { team: give },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await find()
  await outside.heard('findings')
})

test('it ends when the session, the token or the role does', async () => {
  const person = await gatehouse.addPerson('member')
  const bySession = await listen(person.jwt)
  const byToken = await listen(person.token)
  await gatehouse.call('POST', '/api/auth/logout', { as: person.jwt })
  await bySession.whenEnded()
  assert.equal(byToken.ended(), false)
  const promoted = await gatehouse.call('PATCH', `/api/people/v1/deployments/1/people/${person.id}`, {
    body: { role: 'readonly' },
  })
  assert.equal(promoted.status, 200)
  await byToken.whenEnded()
  const next = await listen(person.token)
  await gatehouse.call('DELETE', `/api/people/v1/deployments/1/people/${person.id}`)
  await next.whenEnded()
})

test('it ends when the service account is narrowed, and says no more of what the account may not read', async () => {
  const accounts = '/api/service-accounts/v1/deployments/1/service-accounts'
  const as = gatehouse.owner.jwt
  const { id } = (await gatehouse.call('POST', accounts, { as, body: { name: 'listener', role: 'member' } })).body
    .serviceAccount
  const body = { name: 'listen', webApi: true }
  const { secret } = (await gatehouse.call('POST', `${accounts}/${id}/tokens`, { as, body })).body
  const stream = await listen(secret)
  const change = { role: 'member', scopes: ['deployment:read', 'findings:read'] }
  assert.equal((await gatehouse.call('PATCH', `${accounts}/${id}`, { as, body: change })).status, 200)
  await stream.whenEnded()
  const next = await listen(secret, { headers: { 'last-event-id': '0-0' } })
  assert.deepEqual(next.names().sort(), ['deployment', 'findings'])
})

test('a person has ten of them, and a client that is gone gives its place back', async () => {
  await allGone()
  const person = await gatehouse.addPerson('member')
  const mine: TestStream[] = []
  for (let count = 0; count < 10; count++) mine.push(await listen(person.token))
  assert.equal((await listen(person.token)).status, 429)
  assert.equal((await listen()).status, 200)
  mine[0]!.close()
  await poll('there is room', async () => gatehouse.events.count() === 10, patienceMs)
  assert.equal((await listen(person.token)).status, 200)
})

test('who does not read keeps nothing waiting but the names, and HEAD opens nothing', async () => {
  const stalled = await listen(undefined, { paused: true })
  for (let count = 0; count < 5; count++) await makeTeam()
  const probe = await listen()
  await find()
  await probe.heard('findings')
  stalled.close()
  const response = await fetch(gatehouse.url + path, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${gatehouse.owner.token}` },
  })
  assert.equal(response.status, 200)
  probe.close()
  await allGone()
})

test('closing ends the streams first, and takes no more', { timeout: 60_000 }, async () => {
  const other = await gatehouse.anotherProcess()
  const stream = await listen(undefined, { url: other.url })
  const closing = other.close()
  await stream.whenEnded()
  await closing
})
