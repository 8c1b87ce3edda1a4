import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { type SmtpSink, startSmtpSink } from '../../../sandbox/smtp-sink.ts'

const day = 86_400_000

let sink: SmtpSink
let own: Awaited<ReturnType<typeof openChatGatehouse>>
before(async () => {
  sink = await startSmtpSink()
  own = await openChatGatehouse({
    settings: {
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
    },
  })
  own.chat.channels.push({ id: 'C1', name: 'ops', is_private: false, is_member: true, is_archived: false })
  await own.install()
})
after(async () => {
  await own.close()
  await sink.close()
})

const mailsTo = (address: string) =>
  sink.mails
    .filter(({ to }) => to === address)
    .map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
    .filter((text) => text.startsWith('These API tokens stop working soon'))

const count = (address: string, wanted: number) =>
  poll(`${wanted} mails to ${address}`, async () => mailsTo(address).length === wanted, 30_000)

test('who looks after a service account is told in time, by mail, in chat and in the console; a person of their own', async () => {
  const { gatehouse } = own
  const { deploymentId } = gatehouse.owner
  const member = await gatehouse.addPerson('member')
  const accounts = `/api/service-accounts/v1/deployments/${deploymentId}/service-accounts`
  const account = (await gatehouse.call('POST', accounts, { body: { name: 'CI' } })).body.serviceAccount
  const token = { name: 'deploy <@U1>', webApi: true, expiresInDays: 30 }
  const made = await gatehouse.call('POST', `${accounts}/${account.id}/tokens`, {
    as: gatehouse.owner.jwt,
    body: token,
  })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const tokens = `/api/tokens/v1/deployments/${deploymentId}/tokens`
  const mine = { name: 'mine', webApi: true, expiresInDays: 30 }
  assert.equal((await gatehouse.call('POST', tokens, { as: member.jwt, body: mine })).status, 200)
  const revoked = await gatehouse.call('POST', tokens, { as: member.jwt, body: { ...mine, name: 'revoked' } })
  await gatehouse.call('DELETE', `${tokens}/${revoked.body.token.id}`)
  const subscription = { channel: 'C1', events: ['CHAT_EVENT_TOKENS_EXPIRE'] }
  assert.equal((await own.call('POST', '/subscriptions', { body: subscription })).status, 200)
  const expiring = async (as: string) =>
    (await gatehouse.call('GET', `/api/tokens/v1/deployments/${deploymentId}/expiring-tokens`, { as })).body.tokens.map(
      (each: { name: string }) => each.name,
    )

  await gatehouse.remind()
  assert.deepEqual(await expiring(member.token), [])
  own.pass(17 * day)
  await gatehouse.remind()
  await gatehouse.remind()
  assert.deepEqual(await expiring(member.token), ['mine'])
  assert.deepEqual(await expiring(gatehouse.owner.token), ['deploy <@U1>'])
  await count(gatehouse.owner.email, 1)
  await count(member.email, 1)
  assert.match(mailsTo(gatehouse.owner.email)[0]!, /deploy <@U1> of the service account CI/)
  assert.match(mailsTo(member.email)[0]!, /- mine: /)
  assert.doesNotMatch(mailsTo(member.email)[0]!, /deploy|revoked/)
  const said = () => own.chat.messages.filter(({ text }) => text.includes('of service accounts'))
  await poll('the channel was told', async () => said().length === 1, 30_000)
  assert.match(said()[0]!.text, /deploy &lt;@U1&gt; of CI/)

  own.pass(11 * day)
  await gatehouse.remind()
  await count(gatehouse.owner.email, 2)
  await poll('the channel was told again', async () => said().length === 2, 30_000)
})
