import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { databaseUrl, serveCommand, startProcess } from '../../../test/servers/real-process.ts'
import { createAuditKeys } from '../../vault/audit-keys.ts'
import { firstBreak } from './public.ts'

let gatehouse: TestGatehouse
let owner: pg.Client
before(async () => {
  gatehouse = await openGatehouse()
  // As who has the database in their hands.
  owner = new pg.Client(gatehouse.connection)
  await owner.connect()
})
after(async () => {
  await owner.end()
  await gatehouse.close()
})

const tamper = (statement: string) => owner.query(statement)
const write = (deployment: { id: number; as: string }, name: string) => {
  const path = `/api/repositories/v1/deployments/${deployment.id}/repositories`
  return gatehouse.call('POST', path, { as: deployment.as, body: { name } })
}
const broken = async (deploymentId: number, exported: { seq: number; hash: string }[] = []) =>
  firstBreak(gatehouse.db.as({ deploymentId }), await gatehouse.db.auditKeys(), exported)

async function withLog(): Promise<{ id: number; as: string; only: string }> {
  const made = await gatehouse.addDeployment()
  for (let i = 0; i < 6; i++) await write(made, `kept/${i}`)
  return { ...made, only: `deployment_id = ${made.id}` }
}

test('parallel changes make one chain without gaps', async () => {
  const log = await withLog()
  await Promise.all(Array.from({ length: 30 }, (_, i) => write(log, `parallel/${i}`)))
  assert.equal(await broken(log.id), undefined)
})

test('text of every kind reads back as it was hashed', async () => {
  const log = await withLog()
  const names = ['quotes " \\ / \u2028', '\u007f \u0001 \t', 'é 漢 🎉', 'lone \ud800 surrogate']
  const actor = { deploymentId: log.id, personId: 1, tokenId: 0, requestId: names.join(' ') } as never
  await gatehouse.db.transaction(actor, async (tx) => {
    const odd = { 10: 1e21, a: [1.5, -0, 1e-7, null], nested: { b: '', aa: 2 ** 60 } }
    for (const target of names) tx.audit({ action: target, target, detail: { ...odd, text: target.toWellFormed() } })
  })
  assert.equal(await broken(log.id), undefined)
})

test('a changed, removed or cut-off event is found', async () => {
  const { id, only } = await withLog()
  await tamper(`create table kept as select * from audit_event where ${only}`)
  const restore = async () => {
    await tamper(`delete from audit_event where ${only}; insert into audit_event select * from kept`)
    assert.equal(await broken(id), undefined)
  }
  await tamper(`update audit_event set detail = '{"name": "innocent"}' where ${only} and seq = 4`)
  assert.deepEqual(await broken(id), { seq: 4, reason: 'it was changed' })
  await restore()
  await tamper(`update audit_event set at = '2001-01-01T00:00:00Z' where ${only} and seq = 5`)
  assert.deepEqual(await broken(id), { seq: 5, reason: 'it was changed' })
  await restore()
  await tamper(`delete from audit_event where ${only} and seq = 6`)
  assert.deepEqual(await broken(id), { seq: 7, reason: 'an event is missing before it' })
  await restore()
  await tamper(`delete from audit_event where ${only} and seq > 8`)
  assert.equal((await broken(id))?.reason, 'the end of the log is missing')
})

/** Hashes that somebody can make who knows everything but the key. */
const forgeries = [
  (previous: Buffer, text: string) => createHash('sha256').update(previous).update(text).digest(),
  (previous: Buffer, text: string) => createHash('sha256').update('event\0').update(previous).update(text).digest(),
  (previous: Buffer, text: string) => createHmac('sha256', '').update('event\0').update(previous).update(text).digest(),
]

/** Chains all over again, in the database alone. */
async function rewrite(deployment: number, hashOf: (previous: Buffer, text: string) => Buffer): Promise<void> {
  const { rows } = await owner.query(
    `select seq, (extract(epoch from at) * 1000000)::bigint as at, person_id, token_id, request_id, action, target,
      detail::text from audit_event where deployment_id = $1 order by seq`,
    [deployment],
  )
  let hash: Buffer = Buffer.alloc(0)
  for (const row of rows) {
    const texts = [row.request_id, row.action, row.target].map((text) => JSON.stringify(text))
    const text = `[${[deployment, row.seq, row.at, row.person_id, row.token_id, ...texts, row.detail].join(', ')}]`
    hash = hashOf(hash, text)
    const values = [deployment, row.seq, hash]
    await owner.query('update audit_event set hash = $3 where deployment_id = $1 and seq = $2', values)
  }
  await owner.query('update audit_head set hash = $2 where deployment_id = $1', [deployment, hash])
}

test('a chain that was made again without the key is found, however it is labelled', async () => {
  const { id, only } = await withLog()
  await tamper(`update audit_event set detail = '{"name": "innocent"}' where ${only} and seq = 4`)
  for (const forgery of forgeries.toReversed()) {
    await rewrite(id, forgery)
    assert.deepEqual(await broken(id), { seq: 1, reason: 'it was changed' })
  }
  await tamper(`update audit_event set key_version = null where ${only}`)
  assert.deepEqual(await broken(id), { seq: 1, reason: 'it is not keyed' })
  await tamper(`update audit_head set keyed_from = 1000 where ${only}`)
  assert.equal((await broken(id))?.reason, 'the end of the log is not sealed')
  await tamper(`update audit_head set keyed_from = null, key_version = null, seal = null where ${only}`)
  assert.notEqual(await broken(id), undefined)
})

test('an earlier end of the log cannot be made the current one, and what comes next says so for ever', async () => {
  const log = await withLog()
  await tamper(`delete from audit_event where ${log.only} and seq > 6`)
  await tamper(`update audit_head set seq = 6, hash = (select hash from audit_event where ${log.only} and seq = 6)
    where ${log.only}`)
  assert.deepEqual(await broken(log.id), { seq: 6, reason: 'the end of the log is not sealed' })
  assert.equal((await write(log, 'afterwards')).status, 200)
  assert.deepEqual(await broken(log.id), { seq: 7, reason: 'the log before it was changed' })
})

test('a log that was taken away and begun again is found by a head that was exported', async () => {
  const log = await withLog()
  const path = `/api/audit/v1/deployments/${log.id}/head`
  const { head } = (await gatehouse.call('GET', path, { as: log.as })).body
  assert.equal(await broken(log.id, [head]), undefined)
  await tamper(`delete from audit_event where ${log.only}; delete from audit_head where ${log.only}`)
  assert.deepEqual(await broken(log.id), { seq: 0, reason: 'the log is missing' })
  await write(log, 'begun again')
  assert.equal(await broken(log.id), undefined)
  assert.deepEqual(await broken(log.id, [head]), { seq: head.seq, reason: 'it was exported and is missing' })
  for (let i = 0; i < 20; i++) await write(log, `begun again ${i}`)
  assert.deepEqual(await broken(log.id, [head]), { seq: head.seq, reason: 'it is not the one that was exported' })
})

test('logs that are older than the key are taken over once, and stay verifiable', async (t) => {
  const old = await openGatehouse()
  const admin = new pg.Client(old.connection)
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await old.close()
  })
  const id = old.owner.deploymentId
  const before = await admin.query('select max(seq)::int as seq from audit_event')
  // As an installation from before: no key, and everything chained without one.
  await admin.query(`delete from data_key where scope = 'audit'`)
  await admin.query('update audit_event set key_version = null')
  await admin.query('update audit_head set keyed_from = null, key_version = null, seal = null')
  const { rows } = await admin.query(`select seq::int, (extract(epoch from at) * 1000000)::bigint as at, person_id,
    token_id, request_id, action, target, detail::text from audit_event order by seq`)
  let hash = Buffer.alloc(0)
  for (const row of rows) {
    const parts = `select sha256($1::bytea || convert_to(jsonb_build_array($2::bigint, $3::bigint, $4::bigint, $5::bigint,
      $6::bigint, $7::text, $8::text, $9::text, $10::jsonb)::text, 'UTF8')) as hash`
    const values = [hash, id, row.seq, row.at, row.person_id, row.token_id, row.request_id, row.action, row.target]
    hash = (await admin.query(parts, [...values, row.detail])).rows[0].hash
    await admin.query('update audit_event set hash = $1 where seq = $2', [hash, row.seq])
  }
  await admin.query('update audit_head set hash = $1', [hash])

  const load = () => createAuditKeys(old.masterKey, () => old.db)()
  const [keys] = await Promise.all([load(), load(), load()])
  const db = old.db.as({ deploymentId: id })
  assert.equal(await firstBreak(db, keys), undefined)
  const added = await admin.query('select action from audit_event where seq > $1', [before.rows[0].seq])
  assert.deepEqual(added.rows, [{ action: 'audit.keyed' }])
  await admin.query(`update audit_event set detail = '{"name": "innocent"}' where seq = 2`)
  assert.deepEqual(await firstBreak(db, keys), { seq: 2, reason: 'it was changed' })
  // A second time it is not an older log but one without its seals.
  await admin.query('update audit_head set keyed_from = null, key_version = null, seal = null')
  await old.call('POST', `/api/repositories/v1/deployments/${id}/repositories`, { body: { name: 'late' } })
  const marks = await admin.query(`select action from audit_event where action like 'audit.%' order by seq`)
  assert.deepEqual(marks.rows, [{ action: 'audit.keyed' }, { action: 'audit.broken' }])
})

test('the command line exports heads and verifies logs against them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-heads-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const log = await withLog()
  const connection = gatehouse.connection as Parameters<typeof databaseUrl>[0]
  const env = {
    DATABASE_URL: databaseUrl(connection),
    GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
    GATEHOUSE_DATA: folder,
  }
  const run = async (...args: string[]) => {
    const command = [...serveCommand().slice(0, -1), 'audit', ...args, '--deployment', String(log.id)]
    const ran = startProcess(env, command)
    return { code: await ran.ended, output: ran.output(), said: ran.log() }
  }
  const exported = await run('head', '--json')
  const { heads } = JSON.parse(exported.output)
  const { head } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${log.id}/head`, { as: log.as })).body
  assert.deepEqual(heads, [head])
  const file = join(folder, 'heads.json')
  writeFileSync(file, exported.output)
  const whole = await run('verify', '--heads', file)
  assert.deepEqual([whole.code, whole.output], [0, `The audit log of deployment ${log.id} is whole.\n`], whole.said)
  await tamper(`update audit_event set person_id = 77 where ${log.only} and seq = 3`)
  const changed = await run('verify')
  const sentence = `The audit log of deployment ${log.id} breaks at event 3: it was changed.\n`
  assert.deepEqual([changed.code, changed.output], [1, sentence])
})
