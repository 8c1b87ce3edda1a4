import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { derivations } from '../../people/public.ts'
import { signInCleanup } from '../history/cleanup.ts'

let now = new Date('2026-03-01T10:00:00Z')
const clock = { now: () => now }
let gatehouse: TestGatehouse
let person: Tester
before(async () => {
  gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' } })
  // Signs in from 127.0.0.1, which is the one network known for this person.
  person = await gatehouse.addPerson('member')
})
after(() => gatehouse.close())

const home = '127.0.0.1'
let networks = 0
const newNetwork = () => `198.51.100.${++networks}`

function signIn(from: string, { email = person.email, password = 'wrong', call = gatehouse.call } = {}) {
  return call('POST', '/api/auth/login', { as: '', body: { email, password }, headers: { 'x-forwarded-for': from } })
}

async function statusesOf(count: number, attempt: () => Promise<{ status: number }>): Promise<number[]> {
  return (await Promise.all(Array.from({ length: count }, attempt))).map(({ status }) => status)
}

/** As if so many had failed just now. */
async function failed(key: string, count: number): Promise<void> {
  await gatehouse.db.identityQuery(sql`insert into sign_in_attempt (key, failed_at, kept_until)
    values (${key}, array_fill(${now}::timestamptz, array[${count}::integer]), ${new Date(now.getTime() + 3_600_000)})
    on conflict (key) do update set failed_at = excluded.failed_at`)
}

test('of a hundred guesses at once ten are looked at', async () => {
  const from = newNetwork()
  const before = derivations().done
  const statuses = await statusesOf(100, () => signIn(from))
  // Where the machine is slow, some may have waited too long.
  assert.deepEqual(new Set(statuses.filter((status) => status !== 503)), new Set([401, 429]))
  assert.ok(statuses.filter((status) => status === 401).length <= 10)
  assert.ok(derivations().done - before <= 10)
})

test('what is refused is not derived, even with the right password, and says when to come again', async () => {
  const from = newNetwork()
  await failed(`network ${from}`, 10)
  const before = derivations().done
  const refused = await signIn(from, { password: person.password })
  assert.equal(refused.status, 429)
  assert.deepEqual([refused.headers.get('retry-after'), derivations().done], ['60', before])
  now = new Date(now.getTime() + 60_000)
  assert.equal((await signIn(from, { password: person.password })).status, 200)
})

test('attempts that failed while the clock was ahead keep nobody out when it is right again', async () => {
  const from = newNetwork()
  now = new Date(now.getTime() + 5 * 3_600_000)
  await failed(`network ${from}`, 10)
  now = new Date(now.getTime() - 5 * 3_600_000)
  assert.equal((await signIn(from)).status, 401)
})

test('a /64 counts as one address, its neighbour as another', async () => {
  await failed('network 2001:db8:1:2::/64', 9)
  assert.equal((await signIn('2001:db8:1:2::1')).status, 401)
  assert.equal((await signIn('2001:db8:1:2:ffff:ffff:ffff:ffff')).status, 429)
  assert.equal((await signIn('2001:db8:1:3::1')).status, 401)
})

test('the processes count together', async () => {
  const second = await gatehouse.anotherProcess()
  try {
    const from = newNetwork()
    await failed(`network ${from}`, 8)
    assert.equal((await signIn(from)).status, 401)
    assert.equal((await signIn(from, { call: second.call })).status, 401)
    assert.equal((await signIn(from)).status, 429)
    assert.equal((await signIn(from, { call: second.call })).status, 429)
  } finally {
    await second.close()
  }
})

test('who is right is not counted, and wipes out nobody else', async () => {
  const from = newNetwork()
  await failed(`network ${from}`, 9)
  assert.equal((await signIn(from, { password: person.password })).status, 200)
  assert.equal((await signIn(from, { password: person.password })).status, 200)
  assert.equal((await signIn(from)).status, 401)
  assert.equal((await signIn(from)).status, 429)
})

test('eleven who are right at the same moment all get in', async () => {
  const statuses = await statusesOf(11, () => signIn('192.0.2.77', { password: person.password }))
  assert.deepEqual(statuses, Array(11).fill(200))
})

test('strangers who use up an account do not keep its owner out of where they have been', async () => {
  const owner = await gatehouse.addPerson('member')
  const mine = { email: owner.email, password: owner.password }
  await failed(`person ${owner.id}`, 100)
  const before = derivations().done
  assert.equal((await signIn(newNetwork(), mine)).status, 429)
  assert.equal(derivations().done, before)
  assert.equal((await signIn(home, mine)).status, 200)
})

test('one stranger cannot use up an account: twenty an hour, and others still have their turn', async () => {
  const from = newNetwork()
  await failed(`person ${person.id} from ${from}`, 19)
  assert.equal((await signIn(from)).status, 401)
  assert.equal((await signIn(from)).status, 429)
  assert.equal((await signIn(newNetwork())).status, 401)
})

test('an account that does not exist is limited like one that does, and costs a derivation', async () => {
  const email = 'nobody@example.com'
  const from = newNetwork()
  const before = derivations().done
  const statuses: number[] = []
  for (const _ of [1, 2, 3])
    for (const spelling of [email, email.toUpperCase()]) statuses.push((await signIn(from, { email: spelling })).status)
  assert.deepEqual([statuses, derivations().done], [Array(6).fill(401), before + 6])
  const keys = await gatehouse.db.identityQuery<{ failures: number }>(
    sql`select cardinality(failed_at) as failures from sign_in_attempt where key like 'nobody %' and key not like '% from %'`,
  )
  assert.deepEqual(keys, [{ failures: 6 }])
  await gatehouse.db.identityQuery(sql`update sign_in_attempt set failed_at = array_fill(${now}::timestamptz, array[100])
    where key like 'nobody %' and key not like '% from %'`)
  assert.equal((await signIn(newNetwork(), { email })).status, 429)
})

test('guesses at the password of a session that was taken over are counted, and only against that session', async () => {
  const taken = await gatehouse.addPerson('member')
  const change = (as: string, from: string, current: string, next = 'another long password') =>
    gatehouse.call('POST', '/api/people/v1/self/password', {
      as,
      body: { current, next },
      headers: { 'x-forwarded-for': from },
    })
  const { jwt } = taken
  const sessionId = JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()).sid as string
  const from = newNetwork()
  await failed(`session ${sessionId}`, 9)
  assert.equal((await change(jwt, from, 'wrong')).status, 403)
  const before = derivations().done
  assert.equal((await change(jwt, from, taken.password)).status, 429)
  await failed(`network 203.0.113.1`, 10)
  const own = await gatehouse.signIn(taken.email, taken.password)
  assert.equal((await change(own, '203.0.113.1', taken.password)).status, 429)
  assert.equal(derivations().done, before + 1)
  const weak = await change(own, newNetwork(), taken.password, 'Password1234')
  assert.deepEqual([weak.status, weak.body.errors[0].pointer], [400, '/next'])
  assert.equal((await change(own, newNetwork(), taken.password)).status, 200)
})

test('strangers who queue do not hold up who comes from a known place', async () => {
  const strangers = Array.from({ length: 24 }, () => signIn(newNetwork(), { email: 'nobody.else@example.com' }))
  while (derivations().waiting < 16) await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await signIn(home, { password: person.password })).status, 200)
  assert.ok(derivations().waiting > 3, `${derivations().waiting} were still waiting`)
  await Promise.all(strangers)
})

test('a network is known for 90 days, and only to who signed in there', async () => {
  const from = newNetwork()
  assert.equal((await signIn(from, { password: person.password })).status, 200)
  const other = await gatehouse.addPerson('member')
  await failed(`person ${other.id}`, 100)
  assert.equal((await signIn(from, { email: other.email, password: other.password })).status, 429)
  now = new Date(now.getTime() + 90 * 86_400_000)
  await failed(`person ${person.id} from ${from}`, 20)
  assert.equal((await signIn(from, { password: person.password })).status, 429)
})

test('what has had its time is forgotten', async () => {
  const kept = () =>
    gatehouse.db.identityQuery<{ over: boolean }>(sql`select kept_until < ${now} as over from sign_in_attempt`)
  now = new Date(now.getTime() + 40 * 86_400_000)
  const { email, password } = gatehouse.owner
  assert.equal((await signIn(home, { email, password })).status, 200)
  assert.ok((await kept()).filter(({ over }) => over).length > 10)
  for (const task of signInCleanup({ db: gatehouse.db, record: gatehouse.record, clock })) await task.run()
  const left = await kept()
  assert.deepEqual([left.length > 0, left.filter(({ over }) => over)], [true, []])
  const sessions = await gatehouse.db.identityQuery(sql`select 1 from session`)
  assert.equal(sessions.length, 1)
})
