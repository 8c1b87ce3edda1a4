import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'
import { factorKit } from '../../../test/servers/factor-gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'

let ahead = 0
const clock = {
  now: () => new Date(Date.now() + ahead),
  later(ms: number) {
    ahead += ms
  },
}
let gatehouse: TestGatehouse
let kit: ReturnType<typeof factorKit>
before(async () => {
  gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' } })
  kit = factorKit(gatehouse, clock)
})
after(() => gatehouse.close())

let networks = 0
const elsewhere = () => `198.51.100.${++networks}`

test('with an authenticator app the password alone is answered with what is needed besides, and a code opens', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  assert.match(app.uri, /^otpauth:\/\/totp\/Gatehouse%20[^:]+:member-\w+%40example\.com\?secret=[A-Z2-7]{32}&issuer=/)
  const asked = await kit.login(person)
  assert.deepEqual([asked.status, asked.body.code], [401, 'second_factor_required'])
  assert.deepEqual(
    asked.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/code'],
  )
  const opened = await kit.login({ ...person, code: app.next() })
  assert.equal(opened.status, 200)
  assert.equal((await gatehouse.call('GET', '/api/auth/session', { as: opened.body.accessToken })).status, 200)
})

test('a code is accepted once, on all processes together, and none before it afterwards', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  assert.equal((await kit.login({ ...person, code: app.used })).status, 401)
  const before = app.next()
  const code = app.next()
  assert.equal((await kit.login({ ...person, code })).status, 200)
  const second = await gatehouse.anotherProcess()
  try {
    assert.equal((await kit.login({ ...person, code }, elsewhere(), second.call)).status, 401)
    assert.equal((await kit.login({ ...person, code: before }, elsewhere())).status, 401)
    const next = app.next()
    const both = await Promise.all([
      kit.login({ ...person, code: next }, elsewhere()),
      kit.login({ ...person, code: next }, elsewhere(), second.call),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  } finally {
    await second.close()
  }
})

test('ten wrong codes in a quarter of an hour are looked at, from wherever they come; a recovery code still opens', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  const right = app.next()
  const wrong = right === '123456' ? '654321' : '123456'
  for (let tried = 0; tried < 10; tried++) {
    assert.equal((await kit.login({ ...person, code: wrong }, elsewhere())).status, 401)
  }
  const refused = await kit.login({ ...person, code: right })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 600)
  assert.equal((await kit.login({ ...person, code: app.codes[0]! })).status, 200)
  clock.later(900_000)
  assert.equal((await kit.login({ ...person, code: app.next() })).status, 200)
})

test('a recovery code works once, however it is typed, and new ones end the old', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  assert.equal(new Set(app.codes).size, 10)
  assert.ok(app.codes.every((code) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code)))
  const [first, second] = app.codes as [string, string]
  assert.equal((await kit.login({ ...person, code: first })).status, 200)
  assert.equal((await kit.login({ ...person, code: first })).status, 401)
  const opened = await kit.login({ ...person, code: second.toUpperCase().replaceAll('-', ' ') })
  assert.equal(opened.status, 200)
  const jwt = opened.body.accessToken
  const mine = await gatehouse.call('GET', '/api/auth/factors', { as: jwt })
  assert.equal(mine.body.recoveryCodes.left, 8)
  const renewed = await gatehouse.call('POST', '/api/auth/factors/recovery-codes', { as: jwt })
  assert.equal(renewed.body.recoveryCodes.length, 10)
  assert.equal((await kit.login({ ...person, code: app.codes[2]! })).status, 401)
  assert.equal((await kit.login({ ...person, code: renewed.body.recoveryCodes[0] })).status, 200)
  const rows = await gatehouse.db.identityQuery<{ hash: Buffer }>(
    sql`select hash from recovery_code where person_id = ${person.id}`,
  )
  assert.deepEqual([rows.length, rows[0]!.hash.length], [9, 32])
})

test('nobody learns by a wrong password whether an account exists or has a second factor', async () => {
  const person = await gatehouse.addPerson('member')
  await kit.setUpApp(person.jwt)
  const plain = await gatehouse.addPerson('member')
  const said = []
  for (const email of [person.email, plain.email, 'nobody@example.com']) {
    for (const code of [undefined, '123456']) {
      const answer = await kit.login({ email, password: 'wrong', ...(code && { code }) }, elsewhere())
      const { requestId: _, ...rest } = answer.body
      said.push(JSON.stringify([answer.status, rest]))
    }
  }
  assert.equal(new Set(said).size, 1, said.join('\n'))
})

test('a code that somebody without a second factor sends changes nothing', async () => {
  const person = await gatehouse.addPerson('member')
  assert.equal((await kit.login({ ...person, code: '123456' })).status, 200)
})

test('a new password by a link does not stand for the second factor', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const { link } = (await gatehouse.call('POST', `${people}/${person.id}/reset-link`, { as: jwt })).body
  const password = 'a password made new'
  const body = { token: tokenOf(link), password }
  assert.equal((await gatehouse.call('POST', '/api/auth/password-reset', { as: '', body })).status, 200)
  assert.equal((await kit.login({ ...person, password })).body.code, 'second_factor_required')
  assert.equal((await kit.login({ ...person, password, code: app.next() })).status, 200)
})

test('the secret of an app is sealed for its person: in the row of another it opens nothing', async () => {
  const [one, two] = [await gatehouse.addPerson('member'), await gatehouse.addPerson('member')]
  const app = await kit.setUpApp(one.jwt)
  await kit.setUpApp(two.jwt)
  const [row] = await gatehouse.db.identityQuery<{ secret: object }>(
    sql`select secret from totp_factor where id = ${one.id}`,
  )
  assert.ok(!JSON.stringify(row).includes(app.secret.toString('base64')))
  await gatehouse.db.identityQuery(sql`update totp_factor set secret = ${JSON.stringify(row!.secret)}::jsonb
    where id = ${two.id}`)
  assert.equal((await kit.login({ ...two, code: app.next() })).status, 500)
})

test('whoever signs in while the first factor is set up does not come in beside it', async () => {
  const person = await gatehouse.addPerson('member')
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked: () => void = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  // As setting one up does: the account is locked, the factor written, and then committed.
  const settingUp = gatehouse.db.identity(async (tx) => {
    await tx.query(sql`select id from person where id = ${person.id} for update`)
    await tx.query(sql`insert into passkey (person_id, credential_id, public_key, counter, transports, backed_up, name, created_at)
      values (${person.id}, ${`race-${person.id}`}, '', 0, '{}', false, 'race', now())`)
    locked()
    await held
  })
  await isLocked
  const signingIn = kit.login(person, elsewhere())
  await poll('the sign-in waits for the lock', async () => {
    const waiting = await gatehouse.db.identityQuery(sql`select 1 from pg_locks
      where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`)
    return waiting.length > 0
  })
  release()
  await settingUp
  assert.equal((await signingIn).body.code, 'second_factor_required')
})
