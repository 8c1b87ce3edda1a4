import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse, tokenOf } from '../../../../test/gatehouse.ts'
import { removeFactorsSince } from '../../factors/reset.ts'
import { createAttemptLimits } from '../../sessions/throttling/attempt-limits.ts'
import { createPeople } from '../people.ts'

const next = 'a password made new'
let ahead = 0
let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => new Date(Date.now() + ahead) } })
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const people = () => `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
const linkFor = (personId: number, as = gatehouse.owner.jwt) =>
  gatehouse.call('POST', `${people()}/${personId}/reset-link`, { as })
const reset = (link: string, password = next) =>
  gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: { token: tokenOf(link), password } })
const login = (email: string, password: string) =>
  gatehouse.call('POST', '/api/auth/login', { as: '', body: { email, password } })

async function inOtherToo(person: Tester): Promise<void> {
  const path = `/api/people/v1/deployments/${other.id}/people`
  const { link } = (await gatehouse.call('POST', path, { as: other.as, body: { email: person.email } })).body
  const body = { token: tokenOf(link) }
  assert.equal(
    (await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: person.jwt, body })).status,
    200,
  )
}

test("an owner's link sets a new password once, and ends every session", async () => {
  const member = await gatehouse.addPerson('member')
  const made = await linkFor(member.id)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.match(made.body.link, /\/reset-password#[\w-]{43}$/)
  await gatehouse.signIn(member.email, member.password)
  assert.equal((await reset(made.body.link)).status, 200)
  assert.equal((await login(member.email, member.password)).status, 401)
  await gatehouse.signIn(member.email, next)
  const again = await reset(made.body.link, 'yet another password')
  assert.deepEqual([again.status, again.body.code], [404, 'not_found'])
  const deadline = performance.now() + 1_000
  let answer = await gatehouse.call('GET', '/api/tokens/v1/self', { as: member.jwt })
  while (answer.status === 200 && performance.now() < deadline) {
    await delay(20)
    answer = await gatehouse.call('GET', '/api/tokens/v1/self', { as: member.jwt })
  }
  assert.equal(answer.status, 401)
})

test('of several who use one link at once, one sets the password', async () => {
  const member = await gatehouse.addPerson('member')
  const { link } = (await linkFor(member.id)).body
  const answers = await Promise.all([1, 2, 3].map((each) => reset(link, `the password of number ${each}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
  await gatehouse.signIn(
    member.email,
    `the password of number ${answers.findIndex(({ status }) => status === 200) + 1}`,
  )
})

test('a new link takes the place of the old one, and a changed password ends it', async () => {
  const member = await gatehouse.addPerson('member')
  const first = (await linkFor(member.id)).body.link
  const second = (await linkFor(member.id)).body.link
  assert.equal((await reset(first)).status, 404)
  const body = { current: member.password, next: 'chosen by the person' }
  assert.equal((await gatehouse.call('POST', '/api/people/v1/self/password', { as: member.jwt, body })).status, 200)
  assert.equal((await reset(second)).status, 404)
})

test('only owners make links, signed in, for their own people', async () => {
  const [member, admin] = [await gatehouse.addPerson('member'), await gatehouse.addPerson('admin')]
  assert.equal((await linkFor(member.id, admin.jwt)).body.code, 'forbidden')
  assert.equal((await linkFor(member.id, gatehouse.owner.token)).body.code, 'wrong_credential_kind')
  const elsewhere = await gatehouse.addPerson('member', other)
  assert.equal((await linkFor(elsewhere.id)).status, 404)
})

test('no link for an operator, nor for an account that belongs to another deployment too', async () => {
  const [self] = (await gatehouse.call('GET', people())).body.people
  const operator = await linkFor(self.id)
  assert.deepEqual([operator.status, operator.body.code], [403, 'forbidden'])
  const member = await gatehouse.addPerson('member')
  await inOtherToo(member)
  const both = await linkFor(member.id)
  assert.deepEqual([both.status, both.body.detail], [403, operator.body.detail])
})

test("an owner's link ends when the account joins another deployment, or its maker is not an owner any more", async () => {
  const joining = await gatehouse.addPerson('member')
  const kept = (await linkFor(joining.id)).body.link
  await inOtherToo(joining)
  assert.equal((await reset(kept)).status, 404)
  await gatehouse.signIn(joining.email, joining.password)

  const [owner, member] = [await gatehouse.addPerson('owner'), await gatehouse.addPerson('member')]
  const { link } = (await linkFor(member.id, owner.jwt)).body
  assert.equal((await gatehouse.call('PATCH', `${people()}/${owner.id}`, { body: { role: 'admin' } })).status, 200)
  assert.equal((await reset(link)).status, 404)
  await gatehouse.signIn(member.email, member.password)

  const promoted = await gatehouse.addPerson('member')
  const last = (await linkFor(promoted.id)).body.link
  await gatehouse.db.identity((tx) => tx.query(sql`update person set operator = true where id = ${promoted.id}`))
  assert.equal((await reset(last)).status, 404)
})

test('links and resets are in the audit log, without the link', async () => {
  const member = await gatehouse.addPerson('member')
  const { link } = (await linkFor(member.id)).body
  await reset(link)
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=1000`
  const { events } = (await gatehouse.call('GET', path)).body
  const about = events.filter((event: { target: string }) => event.target === `person:${member.id}`)
  const actions = about.map(({ action }: { action: string }) => action)
  assert.ok(actions.includes('person.reset-link') && actions.includes('person.password-reset'), String(actions))
  assert.ok(!JSON.stringify(events).includes(tokenOf(link)))
})

test('a short password is refused and the link still works', async () => {
  const member = await gatehouse.addPerson('member')
  const { link } = (await linkFor(member.id)).body
  const short = await reset(link, 'short')
  assert.deepEqual([short.status, short.body.errors[0].pointer], [400, '/password'])
  assert.equal((await reset(link)).status, 200)
})

test('without a mail server nobody is told more than that', async () => {
  const ask = (email: string) => gatehouse.call('POST', '/api/auth/password-reset/request', { as: '', body: { email } })
  const [known, unknown] = [await ask(gatehouse.owner.email), await ask('nobody@example.com')]
  assert.deepEqual([known.status, known.body.code, known.body.detail], [409, 'not_configured', unknown.body.detail])
})

test('what has expired is cleared away', async () => {
  const member = await gatehouse.addPerson('member')
  const body = { email: 'forgotten@example.com' }
  assert.equal((await gatehouse.call('POST', people(), { body })).status, 200)
  assert.equal((await linkFor(member.id)).status, 200)
  const left = async () => {
    const [row] = await gatehouse.db.identityQuery<{ links: number; invitations: number }>(sql`select
      (select count(*) from password_reset where person_id = ${member.id}) as links,
      (select count(*) from invitation where email = ${body.email}) as invitations`)
    return row
  }
  const cleanAfter = (days: number) => {
    const clock = { now: () => new Date(Date.now() + days * 86_400_000) }
    const limits = createAttemptLimits(gatehouse.db, clock)
    return createPeople({
      db: gatehouse.db,
      clock,
      publicUrl: '',
      mailer: undefined,
      limits,
      removeFactorsSince,
    }).cleaning.run()
  }
  await cleanAfter(0)
  assert.deepEqual(await left(), { links: 1, invitations: 1 })
  await cleanAfter(8)
  assert.deepEqual(await left(), { links: 0, invitations: 1 })
  await cleanAfter(38)
  assert.deepEqual(await left(), { links: 0, invitations: 0 })
})

test('a link ends after an hour', async () => {
  const member = await gatehouse.addPerson('member')
  const { link } = (await linkFor(member.id, await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)))
    .body
  ahead += 3_600_000
  assert.equal((await reset(link)).status, 404)
})
