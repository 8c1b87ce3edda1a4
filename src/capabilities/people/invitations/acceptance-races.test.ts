import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Answer, openGatehouse, type TestGatehouse, tokenOf } from '../../../../test/gatehouse.ts'
import { heldUp } from '../../../../test/watching/held-up.ts'

const password = 'correct horse battery'
let gatehouse: TestGatehouse
let other: { id: number; as: string }
let database: pg.Client
before(async () => {
  gatehouse = await openGatehouse()
  other = await gatehouse.addDeployment()
  database = new pg.Client(gatehouse.connection)
  await database.connect()
})
after(async () => {
  await database.end()
  await gatehouse.close()
})

const own = () => ({ id: gatehouse.owner.deploymentId, as: gatehouse.owner.token })
const peopleOf = (id: number) => `/api/people/v1/deployments/${id}/people`

async function invite(to: { id: number; as: string }, body: object): Promise<{ link: string; id: number }> {
  const answer = await gatehouse.call('POST', peopleOf(to.id), { as: to.as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { link: answer.body.link, id: answer.body.invitation.id }
}

function join(jwt: string, link: string): Promise<Answer> {
  return gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: jwt, body: { token: tokenOf(link) } })
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()

const against = <T>(hold: string, request: () => Promise<T>, meanwhile: () => Promise<unknown>) =>
  heldUp(database, hold, request, meanwhile)

async function count(text: string, values: unknown[]): Promise<number> {
  const { rows } = await database.query(`select count(*)::int as count from ${text}`, values)
  return rows[0].count
}

test('of several who accept one link at once, one comes in', async () => {
  const { link } = await invite(own(), { email: 'crowd@example.com' })
  const answers = await Promise.all(
    [1, 2, 3, 4].map((each) => gatehouse.accept(link, `the password of number ${each}`)),
  )
  const [won, ...lost] = statuses(answers)
  assert.equal(won, 200)
  assert.ok(
    lost.every((status) => status === 404),
    String(lost),
  )
  assert.equal(await count('person where email = $1', ['crowd@example.com']), 1)
  const winner = answers.findIndex(({ status }) => status === 200) + 1
  await gatehouse.signIn('crowd@example.com', `the password of number ${winner}`)
})

test('two deployments invite one address at once: the second acceptance finds the account of the first and leaves it', async () => {
  const email = 'wanted@example.com'
  const links = await Promise.all([invite(own(), { email }), invite(other, { email })])
  const answers = await Promise.all([
    gatehouse.accept(links[0].link, 'the password of the first'),
    gatehouse.accept(links[1].link, 'the password of the second'),
  ])
  assert.deepEqual(statuses(answers), [200, 409])
  const first = answers[0].status === 200
  const jwt = await gatehouse.signIn(email, first ? 'the password of the first' : 'the password of the second')
  assert.equal(await count('person where email = $1', [email]), 1)
  const left = links[first ? 1 : 0]
  assert.equal((await join(jwt, left.link)).status, 200)
})

test('an acceptance that waits while the invitation is revoked or renewed comes too late', async () => {
  const changes = ['delete from invitation where id = $1', "update invitation set token_hash = '\\x00' where id = $1"]
  for (const change of changes) {
    const { link, id } = await invite(own(), { email: 'late@example.com' })
    const answer = await against(
      `select 1 from invitation where id = ${id} for update`,
      () => gatehouse.accept(link, password),
      () => database.query(change, [id]),
    )
    assert.equal(answer.status, 404, change)
    assert.equal(await count('person where email = $1', ['late@example.com']), 0, 'no account is left behind')
    await database.query('delete from invitation where id = $1', [id])
  }
})

test('an acceptance that waits while the inviter is removed comes too late, and leaves no account', async () => {
  const admin = await gatehouse.addPerson('admin')
  const { link } = await invite({ id: own().id, as: admin.token }, { email: 'orphaned@example.com' })
  const membership = `membership where deployment_id = ${own().id} and person_id = ${admin.id}`
  const answer = await against(
    `select 1 from ${membership} for update`,
    () => gatehouse.accept(link, password),
    () => database.query(`delete from ${membership}`),
  )
  assert.equal(answer.status, 404)
  assert.equal(await count('person where email = $1', ['orphaned@example.com']), 0)
})

test('an inviter who is demoted while somebody accepts has invited nobody', async () => {
  const admin = await gatehouse.addPerson('admin')
  const { link } = await invite({ id: own().id, as: admin.token }, { email: 'demoted@example.com' })
  const membership = `membership where deployment_id = ${own().id} and person_id = ${admin.id}`
  const answer = await against(
    `select 1 from ${membership} for update`,
    () => gatehouse.accept(link, password),
    () =>
      database.query(
        `update membership set role = 'member' where deployment_id = ${own().id} and person_id = ${admin.id}`,
      ),
  )
  assert.equal(answer.status, 404)
})

test('who joins while their password is replaced does not bring the one who replaced it along', async () => {
  const bob = await gatehouse.addPerson('member')
  const { link } = await invite(other, { email: bob.email })
  // What a reset does: it holds the person, sets a password and ends the sessions.
  const answer = await against(
    `select 1 from person where id = ${bob.id} for update`,
    () => join(bob.jwt, link),
    () => database.query('update session set revoked_at = now() where person_id = $1', [bob.id]),
  )
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_revoked'])
  assert.equal(await count('membership where person_id = $1', [bob.id]), 1)
})

test("an owner's link that is used while the account joins another deployment comes too late", async () => {
  const bob = await gatehouse.addPerson('member')
  const path = `${peopleOf(own().id)}/${bob.id}/reset-link`
  const { link } = (await gatehouse.call('POST', path, { as: gatehouse.owner.jwt })).body
  const body = { token: tokenOf(link), password: 'taken over meanwhile' }
  const answer = await against(
    `insert into membership (deployment_id, person_id, role) values (${other.id}, ${bob.id}, 'member')`,
    () => gatehouse.call('POST', '/api/auth/password-reset', { as: '', body }),
    async () => {},
  )
  assert.equal(answer.status, 404)
  await gatehouse.signIn(bob.email, bob.password)
})

test('people join and are removed at once without an error', async () => {
  const members = await Promise.all([1, 2, 3].map(() => gatehouse.addPerson('member')))
  const links = await Promise.all([1, 2, 3].map((n) => invite(own(), { email: `busy-${n}@example.com` })))
  const answers = await Promise.all([
    ...links.map(({ link }) => gatehouse.accept(link, password)),
    ...members.map(({ id }) => gatehouse.call('DELETE', `${peopleOf(own().id)}/${id}`)),
  ])
  assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 200])
})
