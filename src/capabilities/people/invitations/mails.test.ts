import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type SmtpSink, startSmtpSink } from '../../../sandbox/smtp-sink.ts'

let ahead = 0
let sink: SmtpSink
let gatehouse: TestGatehouse
before(async () => {
  sink = await startSmtpSink()
  gatehouse = await openGatehouse({
    clock: { now: () => new Date(Date.now() + ahead) },
    worker: { backoff: { firstSeconds: 0.05, factor: 1, mostSeconds: 0.05 } },
    env: {
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    },
  })
})
after(async () => {
  await gatehouse.close()
  await sink.close()
})

const password = 'correct horse battery'
const people = () => `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
const invite = (body: object) => gatehouse.call('POST', people(), { body })
const ask = (email: string, call = gatehouse.call) =>
  call('POST', '/api/auth/password-reset/request', { as: '', body: { email } })

/** The texts mailed to an address, once there are so many. */
async function mailsTo(address: string, wanted = 1): Promise<string[]> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(10)) {
    const mails = sink.mails.filter(({ to }) => to === address)
    if (mails.length >= wanted)
      return mails.map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
  }
  throw new Error(`no ${wanted} mails to ${address}`)
}

const linkIn = (text: string) => /^http\S+#\S+$/m.exec(text)![0]

/** Until every mail that was asked for is sent or given up. */
async function quiet(): Promise<void> {
  const waiting = sql`select 1 from outbox where kind like 'people.%' and dead_at is null`
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(10)) {
    if ((await gatehouse.db.workerQuery(waiting)).length === 0) return
  }
  throw new Error('jobs are left')
}

test('with a mail server the link goes to the address and to nobody else', async () => {
  const invited = await invite({ email: 'ada@example.com', role: 'admin' })
  assert.deepEqual([invited.body.link, invited.body.invitation.delivery], [null, 'mail'])
  const [text] = await mailsTo('ada@example.com')
  assert.match(text!, /owner invites you to join "Gatehouse" in Gatehouse as admin/)
  await quiet()
  const { invitations } = (await gatehouse.call('GET', people().replace(/people$/, 'invitations'))).body
  assert.ok(invitations[0].mailedAt)
  const joined = await gatehouse.accept(linkIn(text!), password)
  assert.equal(joined.body.person.email, 'ada@example.com')
})

test('a renewed invitation is mailed again, and the first mail has no say any more', async () => {
  const { invitation } = (await invite({ email: 'again@example.com' })).body
  const [first] = await mailsTo('again@example.com')
  const path = `${people().replace(/people$/, 'invitations')}/${invitation.id}/renew`
  assert.equal((await gatehouse.call('POST', path)).body.link, null)
  const [, second] = await mailsTo('again@example.com', 2)
  assert.equal((await gatehouse.accept(linkIn(first!), password)).status, 404)
  assert.equal((await gatehouse.accept(linkIn(second!), password)).status, 200)
})

test('no link lies in the outbox or in the database', async () => {
  sink.control.trouble = (command) => (command === 'MAIL' ? '451 later' : undefined)
  try {
    await invite({ email: 'kept@example.com' })
    const jobs = await gatehouse.db.workerQuery<{ payload: object }>(
      sql`select payload from outbox where kind = 'people.invitation-mail'`,
    )
    assert.deepEqual(
      jobs.map(({ payload }) => Object.keys(payload).sort()),
      [['invitationId', 'version']],
    )
  } finally {
    sink.control.trouble = undefined
  }
  const [text] = await mailsTo('kept@example.com')
  assert.equal((await gatehouse.accept(linkIn(text!), password)).status, 200)
})

test('an address that no mail can be sent to is refused', async () => {
  const answer = await invite({ email: 'a,b@example.com' })
  assert.deepEqual([answer.status, answer.body.errors[0].pointer], [422, '/email'])
})

test('names chosen by strangers become no links and no lines in a mail', async () => {
  const { id } = (
    await gatehouse.call('POST', '/api/deployments/v1/deployments', {
      as: gatehouse.owner.jwt,
      body: { name: 'Prize\nhttps://evil.example/win', slug: 'prize' },
    })
  ).body.deployment
  const as = await gatehouse.makeToken(await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password), id)
  const path = `/api/people/v1/deployments/${id}/people`
  assert.equal((await gatehouse.call('POST', path, { as, body: { email: 'lured@example.com' } })).status, 200)
  const [text] = await mailsTo('lured@example.com')
  assert.match(text!, /"Prize https evil example win"/)
})

test('a forgotten password is reset by mail, once, whatever the account belongs to', async () => {
  const { email } = gatehouse.owner
  assert.deepEqual((await ask(email.toUpperCase())).body, { requested: true })
  const [text] = await mailsTo(email)
  const reset = (to: string) => {
    const token = linkIn(text!).split('#')[1]
    return gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: { token, password: to } })
  }
  assert.equal((await reset('the owner is back')).status, 200)
  assert.equal((await reset('somebody else is too')).status, 404)
  await gatehouse.signIn(email, 'the owner is back')
})

test('asking answers and does the same for an unknown address, and mails nobody', async () => {
  const member = await gatehouse.addPerson('member')
  await quiet()
  const before = sink.mails.length
  const answers = [await ask('nobody@example.com'), await ask(member.email)]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [200, { requested: true }],
      [200, { requested: true }],
    ],
  )
  await mailsTo(member.email)
  await quiet()
  assert.deepEqual(
    sink.mails.slice(before).map(({ to }) => to),
    [member.email],
  )
})

test('nobody is mailed to more than once in five minutes, and an address asks ten times in ten, wherever it asks', async () => {
  ahead += 700_000
  const member = await gatehouse.addPerson('member')
  await quiet()
  const before = sink.mails.length
  const mailed = () => sink.mails.slice(before).map(({ to }) => to)
  const answers = []
  const second = await gatehouse.anotherProcess()
  for (let i = 0; i < 11; i++) answers.push(await ask(member.email, i % 2 ? second.call : gatehouse.call))
  await second.close()
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill(200), 429],
  )
  await quiet()
  assert.deepEqual(mailed(), [member.email])
  ahead += 700_000
  assert.equal((await ask(member.email)).status, 200)
  await quiet()
  assert.deepEqual(mailed(), [member.email, member.email])
})

test('a deployment mails a hundred invitations an hour, on all processes together', async () => {
  const { id } = (
    await gatehouse.call('POST', '/api/deployments/v1/deployments', {
      as: await gatehouse.signIn(gatehouse.owner.email, 'the owner is back'),
      body: { name: 'Mailing' },
    })
  ).body.deployment
  const as = await gatehouse.makeToken(await gatehouse.signIn(gatehouse.owner.email, 'the owner is back'), id)
  const path = `/api/people/v1/deployments/${id}/people`
  const second = await gatehouse.anotherProcess()
  const send = (i: number) =>
    (i % 2 ? second.call : gatehouse.call)('POST', path, { as, body: { email: `n-${i}@example.com` } })
  for (let i = 0; i < 95; i++) assert.equal((await send(i)).status, 200)
  const last = await Promise.all(Array.from({ length: 10 }, (_, i) => send(100 + i)))
  assert.deepEqual(last.map(({ status }) => status).sort(), [...Array(5).fill(200), ...Array(5).fill(429)])
  const refused = last.find(({ status }) => status === 429)!
  assert.ok(Number(refused.headers.get('retry-after')) > 3_000)
  ahead += 3_600_000
  assert.equal((await send(200)).status, 200)
  await second.close()
  await gatehouse.db.workerQuery(sql`delete from outbox where deployment_id = ${id}`)
})
