import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type SmtpSink, startSmtpSink } from '../../../sandbox/smtp-sink.ts'
import { testFeed } from '../advisories/test-feed.ts'
import { lockOf, watchExposure } from '../exposure/test-exposure.ts'

const clock = { at: new Date('2026-11-01T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
const packages = Array.from({ length: 25 }, (_, n) => `wide-${n}`)
let sink: SmtpSink
let gatehouse: TestGatehouse
let watch: ReturnType<typeof watchExposure>

before(async () => {
  sink = await startSmtpSink()
  const smtp = {
    GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
    GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
  }
  gatehouse = await openGatehouse({
    clock,
    env: { ...smtp, GATEHOUSE_EGRESS_ALLOW: '127.0.0.1', GATEHOUSE_URL: 'https://gatehouse.example.com' },
  })
  watch = watchExposure(gatehouse)
  for (const n of [1, 2, 3, 4, 5]) await watch.upload(`team/wide-${n}`, lockOf('wide', 'later', ...packages))
  await gatehouse.firewall.snapshots.run()
  clock.at = new Date('2026-11-09T12:00:00Z')
  feed.add({ id: 'MAL-0', name: 'other' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  await gatehouse.close()
  await sink.close()
  feed.remove()
})

async function accuse(...accused: [id: string, name: string][]): Promise<void> {
  for (const [id, name] of accused) feed.add({ id, name, published: clock.at.toISOString() })
  await gatehouse.firewall.feeds.sync(feed.place)
  await watch.lookNow()
}

/** Mails about advisories; invitations come whenever the outbox is looked at. */
const news = () =>
  sink.mails
    .map(({ to, data }) => ({ to, text: Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString() }))
    .filter(({ text }) => /your decision/.test(text))
const recipients = () =>
  news()
    .map(({ to }) => to)
    .sort()
const texts = () => news().map(({ text }) => text)

test('owners and admins get one mail about an advisory that is held, and nobody else does', async () => {
  const admin = await gatehouse.addPerson('admin')
  const suspended = await gatehouse.addPerson('admin')
  await gatehouse.addPerson('member')
  await gatehouse.addDeployment()
  await suspend(suspended.email)
  await accuse(['MAL-4', 'wide'])
  assert.deepEqual(recipients(), [admin.email, gatehouse.owner.email].sort())
  const [text] = texts()
  assert.match(text!, /^An advisory waits for your decision: npm wide\./)
  assert.match(text!, /MAL-4 calls every version of npm wide malicious\. 5 repositories have had it/)
  assert.match(text!, /https:\/\/gatehouse\.example\.com\/d\/[^/]+\/firewall\/held\?state=held/)
  await accuse(['MAL-5', 'nobody-has-it'])
  assert.equal(news().length, 2)
})

test('many that come together are in one mail, which names some and counts the others', async () => {
  sink.mails.length = 0
  await accuse(...packages.map((name, n): [string, string] => [`MAL-1${n}`, name]))
  assert.equal(news().length, 2)
  const [text] = texts()
  assert.match(text!, /^25 advisories wait for your decision\./)
  assert.equal(text!.match(/calls every version/g)?.length, 20)
  assert.match(text!, /And 5 more\./)
})

async function suspend(email: string): Promise<void> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  await client.query(
    'update membership set suspended_at = now() where person_id = (select id from person where email = $1)',
    [email],
  )
  await client.end()
}
