import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { countLockWaits } from '../../../../test/watching/lock-waits.ts'
import { firstBreak } from '../../audit/public.ts'

let now = new Date('2026-03-01T10:00:00Z')
const lines: string[] = []
let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  const log = (line: string) => void lines.push(line)
  gatehouse = await openGatehouse({ clock: { now: () => now }, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' }, log })
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

type Event = { action: string; personId: number; target: string; requestId: string; detail: Record<string, unknown> }

const post = (path: string, body: unknown, more: { as?: string; from?: string; request?: string } = {}) =>
  gatehouse.call('POST', path, {
    as: more.as ?? '',
    body,
    headers: { 'x-forwarded-for': more.from ?? '192.0.2.1', ...(more.request ? { 'x-request-id': more.request } : {}) },
  })
const login = (more: object = {}, password = gatehouse.owner.password) =>
  post('/api/auth/login', { email: gatehouse.owner.email, password }, more)

/** The newest events of both deployments. */
async function newest(count: number): Promise<Event[][]> {
  const of = async (id: number, as: string) =>
    (await gatehouse.call('GET', `/api/audit/v1/deployments/${id}/events?pageSize=${count}`, { as })).body
      .events as Event[]
  return [await of(gatehouse.owner.deploymentId, gatehouse.owner.token), await of(other.id, other.as)]
}

async function ownerId(): Promise<number> {
  return (await gatehouse.call('GET', '/api/tokens/v1/self')).body.personId
}

test('a sign-in is in the log of every deployment of the person', async () => {
  assert.equal((await login({ request: 'request-sign-in' })).status, 200)
  const id = await ownerId()
  for (const [event] of await newest(1)) {
    assert.deepEqual(
      [event!.action, event!.personId, event!.target, event!.requestId, event!.detail.network],
      ['person.sign-in', id, `person:${id}`, 'request-sign-in', '192.0.2.1'],
    )
  }
})

test('failed sign-ins become one entry, however many, with where they came from', async () => {
  for (const from of ['198.51.100.1', '198.51.100.2', '198.51.100.1'])
    assert.equal((await login({ from }, 'wrong')).status, 401)
  const before = (await newest(1))[0]![0]!
  await gatehouse.record.settle()
  assert.deepEqual((await newest(1))[0]![0], before)
  now = new Date(now.getTime() + 300_000)
  await gatehouse.record.settle()
  await gatehouse.record.settle()
  const id = await ownerId()
  for (const events of await newest(2)) {
    assert.deepEqual(
      events.map(({ action }) => action),
      ['person.sign-in-failed', 'person.sign-in'],
    )
    const { personId, target, detail } = events[0]!
    assert.deepEqual([personId, target], [0, `person:${id}`])
    assert.deepEqual(detail, {
      failures: 3,
      since: '2026-03-01T10:00:00.000Z',
      networks: ['198.51.100.1', '198.51.100.2'],
    })
  }
})

test('those of accounts that do not exist are in the server log, in one line without what was typed', async () => {
  for (const email of ['secret-typed-here', 'nobody@example.com'])
    await post('/api/auth/login', { email, password: 'wrong' }, { from: '198.51.100.3' })
  now = new Date(now.getTime() + 300_000)
  await gatehouse.record.settle()
  const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /do not exist/.test(msg))
  assert.deepEqual(
    said.map(({ failures, networks }) => [failures, networks]),
    [[2, ['198.51.100.3']]],
  )
  assert.ok(!lines.join().includes('secret-typed-here'))
})

test('a password change, and a session that ended because an old token came back', async () => {
  const person = await gatehouse.addPerson('member')
  const change = { current: person.password, next: 'another long password' }
  assert.equal((await post('/api/people/v1/self/password', change, { as: person.jwt })).status, 200)
  const changed = (await newest(1))[0]![0]!
  assert.deepEqual(
    [changed.action, changed.personId, changed.target],
    ['person.password', person.id, `person:${person.id}`],
  )
  assert.ok(!JSON.stringify(changed).includes('another'))

  const { refreshToken } = (await login()).body
  await post('/api/auth/refresh', { refreshToken })
  assert.equal((await post('/api/auth/refresh', { refreshToken }, { from: '198.51.100.9' })).status, 401)
  for (const [event] of await newest(1))
    assert.deepEqual([event!.action, event!.detail.network], ['session.reuse', '198.51.100.9'])
})

test('what could not be told at once is told later, once, and the chain holds', async () => {
  const { moved } = await withLock('lock table audit_head in exclusive mode', async (waiting) => {
    assert.equal((await login({ request: 'request-later' })).status, 200)
    // While the sign-in's own attempt waits for the log, the periodic work wants to move the same event.
    const moved = gatehouse.record.settle()
    await waiting(2)
    return { moved }
  })
  await moved
  await gatehouse.record.settle()
  for (const events of await newest(5))
    assert.equal(events.filter(({ requestId }) => requestId === 'request-later').length, 1)
  assert.deepEqual(await gatehouse.db.identityQuery(sql`select 1 from account_event`), [])
  assert.equal(await firstBreak(gatehouse.db.as({ deploymentId: other.id }), await gatehouse.db.auditKeys()), undefined)
})

test('a sign-in with a password that is being changed does not outlive the change', async () => {
  const person = await gatehouse.addPerson('member')
  const signIn = await withLock(
    `update person set password_hash = 'changed' where id = ${person.id}`,
    async (waiting) => {
      const answer = post('/api/auth/login', { email: person.email, password: person.password })
      await waiting()
      return { answer }
    },
  )
  assert.equal((await signIn.answer).status, 401)
})

/** Does `work` while another connection is in the middle of a statement's transaction, and then lets that commit. */
async function withLock<T>(
  statement: string,
  work: (waiting: (sessions?: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    await client.query('begin')
    await client.query(statement)
    const waiting = async (sessions = 1) => {
      while ((await countLockWaits(client)) < sessions) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const result = await work(waiting)
    await client.query('commit')
    return result
  } finally {
    await client.end()
  }
}
