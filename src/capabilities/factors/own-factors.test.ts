import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type Tester, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'
import { factorKit, passkeyOrigin } from '../../../test/servers/factor-gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { type SmtpSink, startSmtpSink } from '../../sandbox/smtp-sink.ts'
import { openTestStream } from '../events/test-stream.ts'

let ahead = 0
const clock = {
  now: () => new Date(Date.now() + ahead),
  later(ms: number) {
    ahead += ms
  },
}
let sink: SmtpSink
let gatehouse: TestGatehouse
let kit: ReturnType<typeof factorKit>
before(async () => {
  sink = await startSmtpSink()
  gatehouse = await openGatehouse({
    clock,
    env: {
      GATEHOUSE_URL: passkeyOrigin,
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    },
  })
  kit = factorKit(gatehouse, clock)
})
after(async () => {
  await gatehouse.close()
  await sink.close()
})

const factors = '/api/auth/factors'
const people = () => `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
const ownerJwt = () => gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
const reset = (personId: number, as: string) => gatehouse.call('POST', `${people()}/${personId}/factor-reset`, { as })

/** A revocation is felt within a second. */
async function ends(jwt: string): Promise<string> {
  let code = ''
  await poll('the session ends', async () => {
    const answer = await gatehouse.call('GET', '/api/auth/session', { as: jwt })
    code = answer.body.code
    return answer.status !== 200
  })
  return code
}

function mailTo(address: string, words: RegExp): Promise<void> {
  return poll(`a mail to ${address}`, () =>
    sink.mails
      .filter(({ to }) => to === address)
      .map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
      .some((text) => words.test(text)),
  )
}

async function auditOf(person: Tester): Promise<[string, object][]> {
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events`
  const { events } = (await gatehouse.call('GET', path)).body
  return events
    .filter(({ target }: { target: string }) => target === `person:${person.id}`)
    .map(({ action, detail }: { action: string; detail: object }) => [action, detail])
}

test('the first factor ends all other sessions, brings recovery codes, and is told by mail and in the audit log', async () => {
  const person = await gatehouse.addPerson('member')
  const elsewhere = await gatehouse.signIn(person.email, person.password)
  await kit.setUpApp(person.jwt)
  assert.equal(await ends(elsewhere), 'token_revoked')
  const { added } = await kit.addPasskey(person.jwt)
  assert.deepEqual(added.body.recoveryCodes, [])
  const mine = (await gatehouse.call('GET', factors, { as: person.jwt })).body
  assert.deepEqual(
    [mine.required, mine.app.lastUsedAt, mine.passkeys.length, mine.passkeys[0].name, mine.recoveryCodes.left],
    [false, null, 1, 'Laptop', 10],
  )
  await mailTo(person.email, /authenticator app was set up/)
  await mailTo(person.email, /passkey was added/)
  const audit = await auditOf(person)
  assert.ok(audit.some(([action, detail]) => action === 'factor.set-up' && 'name' in detail))
  const shown = (await gatehouse.call('GET', people())).body.people.find(({ id }: { id: number }) => id === person.id)
  assert.equal(shown.secondFactor, true)
  const asMember = await gatehouse.call('GET', people(), { as: person.token })
  assert.ok(asMember.body.people.every(({ secondFactor }: { secondFactor: unknown }) => secondFactor === null))
})

test('another app takes the place of the first when it has shown a code', async () => {
  const person = await gatehouse.addPerson('member')
  const first = await kit.setUpApp(person.jwt)
  assert.equal((await gatehouse.call('POST', `${factors}/app`, { as: person.jwt })).status, 200)
  const wrong = await gatehouse.call('POST', `${factors}/app/confirm`, { as: person.jwt, body: { code: '000000' } })
  assert.equal(wrong.status, 422)
  assert.equal((await kit.login({ ...person, code: first.next() })).status, 200)
  const second = await kit.setUpApp(person.jwt)
  assert.deepEqual(second.codes, [])
  assert.equal((await kit.login({ ...person, code: first.next() })).status, 401)
  assert.equal((await kit.login({ ...person, code: second.next() })).status, 200)
})

test('changing factors takes a sign-in of the last five minutes; removing one ends all other sessions', async () => {
  const person = await gatehouse.addPerson('member')
  const app = await kit.setUpApp(person.jwt)
  const { added } = await kit.addPasskey(person.jwt)
  const [{ id }] = added.body.factors.passkeys
  clock.later(300_000)
  const refused = [
    await gatehouse.call('DELETE', `${factors}/app`, { as: person.jwt }),
    await gatehouse.call('DELETE', `${factors}/passkeys/${id}`, { as: person.jwt }),
    await gatehouse.call('POST', `${factors}/app`, { as: person.jwt }),
    await gatehouse.call('POST', `${factors}/passkeys/options`, { as: person.jwt }),
    await gatehouse.call('POST', `${factors}/recovery-codes`, { as: person.jwt }),
  ]
  assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set(['reauthentication_required']))
  const jwt = (await kit.login({ ...person, code: app.next() })).body.accessToken
  const other = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('DELETE', `${factors}/passkeys/${id}`, { as: other.jwt })).status, 404)
  const removed = await gatehouse.call('DELETE', `${factors}/passkeys/${id}`, { as: jwt })
  assert.deepEqual([removed.status, removed.body.factors.passkeys], [200, []])
  assert.equal(await ends(person.jwt), 'token_revoked')
  assert.equal((await gatehouse.call('DELETE', `${factors}/app`, { as: jwt })).status, 200)
  assert.equal((await gatehouse.call('GET', factors, { as: jwt })).body.recoveryCodes.left, 0)
  await mailTo(person.email, /passkey was removed/)
  assert.equal((await kit.login(person)).status, 200)
})

test('whoever lacks a required factor can set one up and nothing else, until they have', async (t) => {
  const other = await gatehouse.addDeployment()
  const path = `/api/deployments/v1/deployments/${other.id}`
  const admin = await gatehouse.addPerson('admin', other)
  const member = await gatehouse.addPerson('member', other)
  const change = (as: string, secondFactor: string) => gatehouse.call('PATCH', path, { as, body: { secondFactor } })
  assert.equal((await change(other.as, 'admins')).status, 403)
  const owner = await ownerJwt()
  assert.equal((await change(owner, 'admins')).body.deployment.secondFactor, 'admins')
  const jwt = await gatehouse.signIn(admin.email, admin.password)
  const ask = (method: string, to: string, body?: object) => gatehouse.call(method, to, { as: jwt, body })
  const people = `/api/people/v1/deployments/${other.id}/people`
  const refused = [
    await ask('GET', people),
    await ask('GET', '/api/auth/sessions'),
    await ask('POST', `/api/tokens/v1/deployments/${other.id}/tokens`, { name: 'mine', webApi: true }),
    await ask('POST', '/api/people/v1/self/password', { current: admin.password, next: 'a password made new' }),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    refused.map(() => [403, 'second_factor_setup_required']),
  )
  const packages = await fetch(`${gatehouse.url}/firewall/${other.id}/npm/left-pad`, {
    headers: { authorization: `Bearer ${jwt}` },
  })
  assert.equal(packages.status, 403)
  assert.equal((await ask('GET', '/api/auth/session')).body.mustSetUpFactor, true)
  assert.equal((await gatehouse.call('GET', people, { as: member.jwt })).status, 200)
  await kit.setUpApp(jwt)
  await poll('the factor counts', async () => (await ask('GET', people)).status === 200)
  const kept = await ask('DELETE', `${factors}/app`)
  assert.deepEqual([kept.status, kept.body.code], [409, 'conflict'])
  // The owner is an admin there too, and has been led to it since.
  await kit.setUpApp(owner)
  const headers = { authorization: `Bearer ${member.jwt}` }
  const stream = await openTestStream(`${gatehouse.url}/api/events/v1/deployments/${other.id}/stream`, { headers })
  t.after(stream.close)
  assert.equal(stream.status, 200)
  assert.equal((await change(owner, 'everyone')).status, 200)
  await stream.whenEnded()
  await poll('a factor is required of members', async () => {
    const answer = await gatehouse.call('GET', people, { as: member.jwt })
    return answer.body.code === 'second_factor_setup_required'
  })
  assert.equal((await change(owner, 'optional')).status, 200)
  const { events } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${other.id}/events`, { as: other.as }))
    .body
  const changes = events.filter(({ action }: { action: string }) => action === 'deployment.second-factor')
  assert.equal(changes.length, 3)
  assert.equal((await gatehouse.call('DELETE', `${factors}/app`, { as: owner })).status, 200)
})

test('the operator can require it of all deployments', async () => {
  const strict = await openGatehouse({ env: { GATEHOUSE_SECOND_FACTOR: 'admins' } })
  try {
    const refused = await strict.call('GET', '/api/deployments/v1/deployments', { as: strict.owner.jwt })
    assert.equal(refused.body.code, 'second_factor_setup_required')
    const me = await strict.call('GET', '/api/auth/session', { as: strict.owner.jwt })
    assert.deepEqual([me.body.mustSetUpFactor, me.body.server.secondFactor], [true, 'admins'])
    assert.equal((await strict.call('GET', '/api/deployments/v1/deployments')).status, 200)
    const people = `/api/people/v1/deployments/${strict.owner.deploymentId}/people`
    const statuses = []
    for (const role of ['admin', 'member']) {
      const account = { email: `${role}@example.com`, password: 'correct horse battery' }
      const { link } = (await strict.call('POST', people, { body: { email: account.email, role } })).body
      await strict.accept(link, account.password)
      const jwt = await strict.signIn(account.email, account.password)
      statuses.push((await strict.call('GET', people, { as: jwt })).status)
    }
    assert.deepEqual(statuses, [403, 200])
  } finally {
    await strict.close()
  }
})

test('owners and admins reset the factors of accounts that are of their deployment alone', async () => {
  const [member, owner, admin] = [
    await gatehouse.addPerson('member'),
    await gatehouse.addPerson('owner'),
    await gatehouse.addPerson('admin'),
  ]
  await kit.setUpApp(member.jwt)
  await kit.setUpApp(owner.jwt)
  assert.equal((await reset(member.id, member.jwt)).status, 403)
  assert.equal((await reset(owner.id, admin.jwt)).status, 403)
  assert.equal((await reset(admin.id, admin.jwt)).status, 409)
  assert.equal((await reset(member.id, admin.token)).body.code, 'wrong_credential_kind')
  const done = await reset(member.id, admin.jwt)
  assert.deepEqual([done.status, done.body.person.secondFactor], [200, false])
  assert.equal(await ends(member.jwt), 'token_revoked')
  assert.equal((await kit.login(member)).status, 200)
  await mailTo(member.email, /removed all second factors/)
  assert.ok((await auditOf(member)).some(([action]) => action === 'person.factor-reset'))
  const other = await gatehouse.addDeployment()
  const path = `/api/people/v1/deployments/${other.id}/people`
  await gatehouse.call('POST', path, { as: other.as, body: { email: owner.email } })
  await joinByMail(owner)
  assert.equal((await reset(owner.id, await ownerJwt())).status, 403)
})

/** With the link that was mailed last. */
async function joinByMail(person: Tester): Promise<void> {
  await mailTo(person.email, /invites you to join "Other/)
  const texts = sink.mails
    .filter(({ to }) => to === person.email)
    .map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
  const link = /^http\S+#\S+$/m.exec(texts.findLast((text) => text.includes('"Other'))!)![0]
  const body = { token: tokenOf(link) }
  const joined = await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: person.jwt, body })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
}
