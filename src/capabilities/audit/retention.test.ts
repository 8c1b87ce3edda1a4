import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { createAuditRetention } from './retention.ts'
import { firstBreak } from './verify.ts'

let gatehouse: TestGatehouse
let owner: pg.Client
let path: string

before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  owner = new pg.Client(gatehouse.connection as pg.ClientConfig)
  await owner.connect()
  path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}`
  // The database says when an event is: it is made to say something else for a while.
  const { rows } = await owner.query(`select pg_get_functiondef('audit_head_for_append'::regproc) as text`)
  const now: string = rows[0].text
  await owner.query(now.replace('clock_timestamp()', "clock_timestamp() - interval '100 days'"))
  await append(30)
  await owner.query(now)
  await append(5)
})
after(async () => {
  await owner.end()
  await gatehouse.close()
})

async function append(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), async (tx) => {
      tx.audit({ action: 'test.event', target: `event:${n}` })
    })
  }
}

const reader = () => gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
const whole = async () => firstBreak(reader(), await gatehouse.db.auditKeys())
const age = (days: number | undefined, pushesSyslog = false) =>
  createAuditRetention({
    db: gatehouse.db,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    days,
    pushesSyslog,
  }).run()

async function places(): Promise<number[]> {
  const rows = await reader().query<{ seq: number }>(sql`select seq from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} order by seq`)
  return rows.map(({ seq }) => seq)
}

/** As the owner of the schema, who is not held back by it. */
async function asOwner(text: string, values: unknown[] = []): Promise<void> {
  await owner.query("select set_config('gatehouse.tenant', $1, false)", [String(gatehouse.owner.deploymentId)])
  await owner.query(text, values)
}

test('without the setting, and before a receiver has taken them, events stay', async () => {
  const all = await places()
  await age(undefined)
  assert.deepEqual(await places(), all)
  await asOwner(`insert into audit_stream (deployment_id, id, origin, position) values ($1, 'syslog', 'tls://x', 0)`, [
    gatehouse.owner.deploymentId,
  ])
  await age(40, true)
  assert.deepEqual(await places(), all)
})

test('an event that was changed is not cleared away', async () => {
  const all = await places()
  const [old] = await reader().query<{ seq: number }>(sql`select seq from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} and target = 'event:7' order by seq limit 1`)
  await asOwner(`update audit_event set target = 'event:8' where seq = $1`, [old!.seq])
  await age(40)
  assert.deepEqual(await places(), all)
  await asOwner(`update audit_event set target = 'event:7' where seq = $1`, [old!.seq])
  assert.equal(await whole(), undefined)
})

test('old events go, the rest is a whole chain, pages and heads go on, and the log tells of it', async () => {
  const { rows } = await owner.query(
    `select seq, encode(hash, 'hex') as hash from audit_event where at < now() - interval '40 days' order by seq desc limit 1`,
  )
  const last = rows[0] as { seq: string; hash: string }
  const before = await places()
  await age(40)
  const left = await places()
  assert.deepEqual(
    left.slice(0, -1),
    before.filter((seq) => seq > Number(last.seq)),
  )
  assert.equal(await whole(), undefined)
  const keys = await gatehouse.db.auditKeys()
  assert.equal(await firstBreak(reader(), keys, [{ seq: Number(last.seq), hash: last.hash }]), undefined)
  assert.equal((await firstBreak(reader(), keys, [{ seq: Number(last.seq), hash: '00' }]))?.seq, Number(last.seq))

  const { events, hasMore } = (await gatehouse.call('GET', `${path}/events`)).body
  assert.equal(events[0].action, 'audit.retention')
  assert.equal(events[0].detail.hash, last.hash)
  assert.deepEqual(events.map(({ seq }: { seq: number }) => seq).reverse(), left)
  assert.equal(hasMore, false)
  const since = new Date(Date.now() - 90 * 86_400_000).toISOString()
  const recent = (await gatehouse.call('GET', `${path}/events?since=${since}`)).body
  assert.equal(recent.events.length, left.length)
  const verified = (await gatehouse.call('POST', `${path}/verify`, { body: {} })).body
  assert.deepEqual(verified, { whole: true, events: left.length, brokenAt: null })

  await age(40)
  assert.equal((await places()).length, left.length)
  await append(1)
  assert.equal(await whole(), undefined)
})

test('what is removed past the server shows: without an anchor of its own, and with a forged one', async () => {
  const left = await places()
  await owner.query('begin')
  await asOwner('delete from audit_event where seq = $1', [left[0]])
  await owner.query('commit')
  assert.match((await whole())!.reason, /missing/)
  await asOwner('update audit_anchor set seq = $1, hash = $2', [left[0], Buffer.alloc(32)])
  assert.match((await whole())!.reason, /missing/)
})

test('nobody removes what is young, or the newest, or events of others', async () => {
  const { deploymentId } = gatehouse.owner
  const actor = systemActor(deploymentId, 'test')
  const forget = (deployment: number, upTo: number) =>
    gatehouse.db.transaction(actor, (tx) =>
      tx.query(sql`select audit_forget(${deployment}::bigint, ${upTo}::bigint, 1, '')`),
    )
  const left = await places()
  await assert.rejects(forget(deploymentId, left.at(-1)!), /stay/)
  await assert.rejects(forget(deploymentId, left.at(-3)!), /stay/)
  await assert.rejects(forget(deploymentId + 1, left[0]!), /another deployment/)
  await assert.rejects(
    gatehouse.db.transaction(actor, (tx) =>
      tx.query(sql`delete from audit_event where deployment_id = ${deploymentId}`),
    ),
    /permission denied/,
  )
})
