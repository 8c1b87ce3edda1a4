import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const path = '/api/auth/sessions'
type Shown = { id: string; kind: string; current: boolean }

const sessionsOf = async (jwt: string): Promise<Shown[]> =>
  (await gatehouse.call('GET', path, { as: jwt })).body.sessions

test('a person sees where they are signed in, and nobody else does', async () => {
  const person = await gatehouse.addPerson('member')
  const second = await gatehouse.signIn(person.email, person.password)
  const opened = await gatehouse.call('POST', '/api/auth/session', {
    as: '',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: { email: person.email, password: person.password },
  })
  assert.equal(opened.status, 200)
  const seen = await sessionsOf(second)
  assert.deepEqual(seen.map(({ kind, current }) => `${kind} ${current}`).sort(), [
    'browser false',
    'token false',
    'token true',
  ])
  const others = await sessionsOf(gatehouse.owner.jwt)
  assert.ok(seen.every(({ id }) => !others.some((other) => other.id === id)))
  assert.equal((await gatehouse.call('GET', path, { as: person.token })).status, 403)
})

test('ending one ends it alone, everywhere, and is audited', async () => {
  const person = await gatehouse.addPerson('member')
  const second = await gatehouse.signIn(person.email, person.password)
  const [first] = (await sessionsOf(second)).filter((each) => !each.current)
  const ended = await gatehouse.call('DELETE', `${path}/${first!.id}`, { as: second })
  assert.deepEqual([ended.status, ended.body.session.id], [200, first!.id])
  await poll('it has ended', async () => (await gatehouse.call('GET', path, { as: person.jwt })).status === 401, 30_000)
  assert.equal((await gatehouse.call('GET', path, { as: second })).status, 200)
  assert.equal((await gatehouse.call('DELETE', `${path}/${first!.id}`, { as: second })).status, 404)
  const { events } = (await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?action=session.end')).body
  assert.equal(events[0].detail.session, first!.id)
})

test("nobody ends another's session, and what cannot be one is refused", async () => {
  const person = await gatehouse.addPerson('member')
  const [own] = await sessionsOf(person.jwt)
  assert.equal((await gatehouse.call('DELETE', `${path}/${own!.id}`, { as: gatehouse.owner.jwt })).status, 404)
  assert.equal((await sessionsOf(person.jwt)).length, 1)
  for (const id of ['x', '1', "' or 1=1"]) {
    const answer = await gatehouse.call('DELETE', `${path}/${encodeURIComponent(id)}`, { as: person.jwt })
    assert.ok([400, 404].includes(answer.status), String(answer.status))
  }
})
