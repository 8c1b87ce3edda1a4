import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { makeZip } from '../../../formats/osv/test-archives.ts'
import { osvRecord, testFeed } from '../advisories/test-feed.ts'

const zip = makeZip([
  { name: 'late.json', content: JSON.stringify(osvRecord({ id: 'MAL-9', name: 'only-in-the-late' })) },
])
let answers: 'nothing' | 'an error' | 'the feed' = 'nothing'
let errors = 0
const waiting: (() => void)[] = []
const server = createServer((_, response) => {
  const reply = () => {
    if (answers === 'the feed') response.writeHead(200).end(zip)
    // Other words each time, as resolvers and proxies have them.
    else response.writeHead(500 + (errors++ % 4)).end()
  }
  if (answers === 'nothing') waiting.push(reply)
  else reply()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/all.zip`
const prompt = testFeed()
prompt.add({ id: 'MAL-1', name: 'evil' })

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const gatehouse = await openGatehouse({
  clock,
  env: { GATEHOUSE_FEED: `${prompt.path},${url}`, GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' },
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await gatehouse.close()
  prompt.remove()
})

const firewall = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
const state = async (as?: string) => (await gatehouse.call('GET', `${firewall}/state`, as ? { as } : {})).body

function decisionOn(name: string, ask = gatehouse.call): Promise<string> {
  const path = `${firewall}/verdict?ecosystem=npm&name=${name}&version=1.0.0`
  return ask('GET', path).then(({ body }) => body.decision)
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const started = performance.now(); performance.now() - started < 30_000; ) if (await isSo()) return
  throw new Error(`${what} in time`)
}

async function refusals(): Promise<Record<string, unknown>[]> {
  const rows = await gatehouse.db
    .as({ deploymentId: gatehouse.owner.deploymentId })
    .query<{ detail: Record<string, unknown> }>(sql`select detail from audit_event
      where deployment_id = ${gatehouse.owner.deploymentId} and action = 'advisory-feed.refuse' order by seq`)
  return rows.map(({ detail }) => detail)
}

test('nothing is let through before every feed has come in, also while one of them is active already', async () => {
  await until('the prompt feed has come in', async () => (await decisionOn('evil')) === 'block')
  assert.equal(await decisionOn('only-in-the-late'), 'undetermined')
  assert.equal(await decisionOn('harmless'), 'undetermined')
  assert.equal((await state()).ready, false)
})

test('nor while one cannot be reached, for good; that is told once, whatever words it has for it', async () => {
  answers = 'an error'
  for (const reply of waiting.splice(0)) reply()
  await until('it is told', async () => (await refusals()).length > 0)
  for (let attempt = 0; attempt < 4; attempt++) {
    clock.at = new Date(clock.at.getTime() + 5 * 60_000)
    assert.equal((await gatehouse.firewall.feeds.sync({ kind: 'url', url })).outcome, 'refused')
  }
  assert.equal((await refusals()).length, 1)
  assert.equal(await decisionOn('harmless'), 'undetermined')
  const known = await state()
  assert.equal(known.ready, false)
  // Whichever of the two came first.
  assert.deepEqual(known.feeds.map((feed: { state: string }) => feed.state).sort(), ['active', 'unreachable'])
})

test('the process can serve all the same: a feed that never comes takes nothing but packages away', async () => {
  assert.equal((await gatehouse.call('GET', '/api/readiness-check', { as: '' })).status, 200)
  assert.equal((await state()).ready, false)
})

test('where feeds are is for the operator; others see which there are and how they fare', async () => {
  const shown = await state()
  assert.deepEqual(shown.feeds.map((feed: { place: string }) => feed.place).sort(), [prompt.path, url].sort())
  assert.match(shown.advice, /127\.0\.0\.1/)
  const owner = await gatehouse.addPerson('owner')
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const narrow = await gatehouse.makeToken(jwt, gatehouse.owner.deploymentId, { scopes: ['firewall:read'] })
  for (const as of [owner.token, narrow]) {
    const text = JSON.stringify(await state(as))
    assert.ok(!text.includes(prompt.path) && !text.includes('127.0.0.1'), text)
    assert.partialDeepStrictEqual(
      (await state(as)).feeds.find((feed: { kind: string }) => feed.kind === 'url'),
      {
        kind: 'url',
        state: 'unreachable',
        place: null,
        problem: '',
      },
    )
    assert.match((await state(as)).advice, /feed \d+ cannot be reached/)
  }
  const audited = await gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=100`,
  )
  const events = JSON.stringify(audited.body.events)
  assert.ok(events.includes('advisory-feed.activate'))
  assert.ok(!events.includes(prompt.path) && !events.includes(url), 'the audit log of a tenant names no place')
})

test('in every process, ready means that what each feed names is refused', async () => {
  const other = await gatehouse.anotherProcess()
  try {
    assert.notEqual(await decisionOn('only-in-the-late', other.call), 'allow')
    answers = 'the feed'
    const synced = gatehouse.firewall.feeds.sync({ kind: 'url', url })
    for (const ask of [gatehouse.call, other.call]) {
      await until('it is ready', async () => {
        const { ready } = (await ask('GET', `${firewall}/state`)).body
        const decision = await decisionOn('only-in-the-late', ask)
        assert.notEqual(decision, 'allow')
        if (ready) assert.equal(decision, 'block')
        return ready
      })
      assert.equal(await decisionOn('harmless', ask), 'allow')
    }
    assert.equal((await synced).outcome, 'activated')
  } finally {
    await other.close()
  }
})

test('when it cannot be reached again, what is active stays, and that is told again', async () => {
  answers = 'an error'
  for (let attempt = 0; attempt < 3; attempt++) await gatehouse.firewall.feeds.sync({ kind: 'url', url })
  assert.deepEqual(
    (await refusals()).map(({ problem }) => problem),
    ['unreachable', 'unreachable'],
  )
  await gatehouse.firewall.refresh()
  assert.deepEqual([await decisionOn('only-in-the-late'), await decisionOn('harmless')], ['block', 'allow'])
  assert.equal((await state()).ready, true)
})
