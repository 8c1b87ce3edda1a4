import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Tester } from '../../../../test/gatehouse.ts'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../../sandbox/registries/npm-registry.ts'
import { type SmtpSink, startSmtpSink } from '../../../sandbox/smtp-sink.ts'
import { advisoryFolder } from '../../vulnerabilities/feeds/test-advisories.ts'
import { testFeed } from '../advisories/test-feed.ts'

const feed = testFeed()
let sink: SmtpSink
let npm: NpmRegistrySandbox
let own: Awaited<ReturnType<typeof openChatGatehouse>>
let member: Tester
let path: string

before(async () => {
  sink = await startSmtpSink()
  npm = await startNpmRegistry()
  own = await openChatGatehouse({
    settings: {
      GATEHOUSE_NPM_UPSTREAM: npm.url,
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
    },
  })
  own.chat.channels.push({ id: 'C1', name: 'ops', is_private: false, is_member: true, is_archived: false })
  await own.install()
  const events = ['CHAT_EVENT_FIREWALL_REFUSED', 'CHAT_EVENT_FIREWALL_EXCEPTION']
  assert.equal((await own.call('POST', '/subscriptions', { body: { channel: 'C1', events } })).status, 200)
  const { gatehouse } = own
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  member = await gatehouse.addPerson('member')
  feed.add({ id: 'MAL-1', name: 'evil' })
  await gatehouse.firewall.feeds.sync(feed.place)
})
after(async () => {
  await own.close()
  await Promise.all([sink.close(), npm.close()])
  feed.remove()
})

const mailsTo = (address: string) =>
  sink.mails
    .filter(({ to }) => to === address)
    .map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
const posts = () => own.chat.messages.map(({ text }) => text)

async function deny(name: string): Promise<void> {
  npm.publish({ name, version: '1.0.0' })
  const body = { ecosystem: 'npm', name, effect: 'deny', reason: 'not here' }
  assert.equal((await own.gatehouse.call('POST', `${path}/overrides`, { body })).status, 200)
  await own.gatehouse.firewall.refresh()
}

async function ask(name: string): Promise<number> {
  const body = { ecosystem: 'npm', name, version: '1.0.0', reason: 'the build needs it' }
  const answer = await own.gatehouse.call('POST', `${path}/exceptions`, { as: member.token, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.byMail, true)
  return answer.body.exception.id
}

function decide(id: number) {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const body = { decision: 'approve', reason: 'looked at it', expiresAt }
  return own.gatehouse.call('POST', `${path}/exceptions/${id}/decision`, { body })
}

test('who decides is told of what is asked, who asked of what is decided, and the channel of both without a name', async () => {
  await deny('left')
  const id = await ask('left')
  const owner = own.gatehouse.owner.email
  await poll('mail to the owner', async () => mailsTo(owner).length === 1, 30_000)
  const [asked] = mailsTo(owner)
  assert.match(asked!, new RegExp(`^Exception ${id} is asked for: npm left@1\\.0\\.0\\.`))
  assert.match(asked!, /the build needs it/)
  assert.match(asked!, /\/refused\?deployment=1&ecosystem=npm&package=left@1\.0\.0/)
  assert.equal((await decide(id)).status, 200)
  await poll('mail to the member', async () => mailsTo(member.email).some((text) => text.includes('approved')), 30_000)
  await poll('the channel', async () => posts().some((text) => text.includes('was approved')), 30_000)
  assert.ok(posts().includes(`*Exception ${id} is asked for: npm left@1.0.0*`), posts().join('\n'))
  assert.ok(!posts().some((text) => text.includes(member.email.split('@')[0]!)))
})

test('a vulnerability that comes later is told once, and the exception stays', async (t) => {
  await deny('vuln')
  const id = await ask('vuln')
  assert.equal((await decide(id)).status, 200)
  const records = advisoryFolder()
  t.after(() => records.remove())
  records.put({ id: 'GHSA-aaaa-bbbb-cccc', affected: [{ name: 'vuln', versions: ['1.0.0'] }] })
  assert.equal((await own.gatehouse.vulnerabilities.feeds.sync(records.place)).outcome, 'activated')
  await own.gatehouse.rejudgeExceptions()
  await own.gatehouse.rejudgeExceptions()
  const { exception } = (await own.gatehouse.call('GET', `${path}/exceptions/${id}`)).body
  assert.deepEqual([exception.state, exception.newAdvisoryIds], ['approved', ['GHSA-aaaa-bbbb-cccc']])
  const told = () => posts().filter((text) => text.includes('An advisory names what exception'))
  await poll('the channel', async () => told().length === 1, 30_000)
  const evidence = (await own.gatehouse.call('GET', `${path}/exceptions/${id}/evidence`)).body
  assert.equal(evidence.vulnerabilities[0].id, 'GHSA-aaaa-bbbb-cccc')
})

test('an exception that malware ends is told as malware, with the advisory', async () => {
  const { gatehouse } = own
  await deny('turned')
  const id = await ask('turned')
  assert.equal((await decide(id)).status, 200)
  const automation = {
    name: 'Malware',
    triggerSource: 'TRIGGER_SOURCE_FIREWALL_EXCEPTION',
    filters: {
      mode: 'MODE_ALL',
      conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_MALICIOUS_DEPENDENCY', values: ['true'] }],
    },
    actions: [{ type: 'ACTION_TYPE_EMAIL', config: { to: [gatehouse.owner.email] } }],
  }
  const automations = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
  const made = await gatehouse.call('POST', automations, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  feed.add({ id: 'MAL-7', name: 'turned', versions: ['1.0.0'] })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
  await gatehouse.rejudgeExceptions()
  const title = `Exception ${id} has ended: npm turned@1.0.0 is known to be malicious, MAL-7`
  await poll('the channel', async () => posts().includes(`*${title}*`), 30_000)
  const mails = () => mailsTo(gatehouse.owner.email).filter((text) => text.includes('"Malware"'))
  await poll('the mail', async () => mails().length === 1, 30_000)
  assert.ok(mails()[0]!.includes(`- [critical] ${title} malicious`), mails()[0])
})

test('what a rule only watches is said to have come in, and to be refused once it is', async () => {
  const { gatehouse } = own
  npm.publish({ name: 'seen', version: '1.0.0' })
  const rule = { ecosystems: ['npm'], names: ['seen'], condition: 'always', effect: 'refuse', note: '' }
  const fetchUnder = async (mode: 'monitor' | 'enforce') => {
    const body = { mode: 'enforce', rules: [{ ...rule, mode }] }
    const put = await gatehouse.call('PUT', `${path}/rules`, { body })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    await gatehouse.firewall.refresh()
    const headers = { authorization: `Bearer ${member.token}` }
    const answer = await fetch(`${gatehouse.url}/firewall/1/npm/seen/-/seen-1.0.0.tgz`, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
  const told = (what: string) => posts().filter((text) => text.includes(`npm seen@1.0.0 ${what}: `)).length
  assert.equal(await fetchUnder('monitor'), 200)
  await poll('the channel', async () => told('would have been refused, and came in') === 1, 30_000)
  assert.equal(told('was refused'), 0)
  assert.equal(await fetchUnder('enforce'), 403)
  await poll('the channel', async () => told('was refused') === 1, 30_000)
})

test('what is refused sets off automations and is said in the channel, once a day for each version', async () => {
  const { gatehouse } = own
  const automations = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
  const automation = {
    name: 'Refusals',
    triggerSource: 'TRIGGER_SOURCE_FIREWALL_REFUSED',
    filters: { mode: 'MODE_ALL', conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_RULE', values: ['denied'] }] },
    actions: [{ type: 'ACTION_TYPE_EMAIL', config: { to: [gatehouse.owner.email] } }],
  }
  const made = await gatehouse.call('POST', automations, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const wrong = { ...automation, name: 'Wrong', actions: [{ type: 'ACTION_TYPE_TICKET', config: {} }] }
  assert.equal((await gatehouse.call('POST', automations, { body: wrong })).status, 422)
  await deny('nope')
  const fetchPackage = async (name: string) => {
    const headers = { authorization: `Bearer ${member.token}` }
    const answer = await fetch(`${gatehouse.url}/firewall/1/npm/${name}/-/${name}-1.0.0.tgz`, { headers })
    assert.equal(answer.status, 403)
    await answer.arrayBuffer()
  }
  await fetchPackage('nope')
  await fetchPackage('nope')
  await fetchPackage('evil')
  const told = (name: string) => posts().filter((text) => text.includes(`${name}@1.0.0 was refused`))
  await poll('the channel', async () => told('nope').length + told('evil').length === 2, 30_000)
  const mails = () => mailsTo(gatehouse.owner.email).filter((text) => text.includes('"Refusals"'))
  await poll('the mail', async () => mails().length === 1, 30_000)
  assert.match(mails()[0]!, /npm nope@1\.0\.0 was refused: Denied by your organisation: not here/)
})
