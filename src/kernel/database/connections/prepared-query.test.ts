import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { textArray } from '../array-literal.ts'
import { bindTenant, execute, executeFor, mostStatements, prepared, prepareTenants } from './prepared-query.ts'
import { connectSecurely } from './secure-session.ts'
import { sessions } from './session-pooling.ts'

let gatehouse: TestGatehouse
let client: pg.Client
before(async () => {
  gatehouse = await openGatehouse()
  client = await connectSecurely(gatehouse.connection, sessions.reader, { pipeline: true } as pg.ClientConfig)
  await prepareTenants(client)
})
after(async () => {
  await client.end()
  await gatehouse.close()
})

/** A statement whose text nobody sent before, with one value. */
const variant = (n: number, value: unknown = n) => sql`select ${value}::text as ${raw(`"column ${n}"`)}`

async function kept(): Promise<string[]> {
  const { rows } = await client.query('select statement from pg_prepared_statements')
  return rows.map((row) => row.statement)
}

test('a connection keeps a bounded number of prepared statements, those that were used last', async () => {
  const often = sql`select 'often' as word`
  for (let n = 0; n < 784; n++) {
    assert.deepEqual(await execute(client, variant(n)), [{ [`column ${n}`]: String(n) }])
    if (n % 50 === 0) await execute(client, often)
  }
  const texts = await kept()
  assert.equal(texts.length, mostStatements + 1, 'and the one that sets the tenant')
  assert.ok(texts.includes(often.text))
  assert.ok(texts.includes(variant(783).text))
  assert.ok(!texts.includes(variant(0).text))
})

test('statements that were dropped are prepared again, with many under way at once', async () => {
  const order = Array.from({ length: 2_000 }, (_, n) => (n * 7) % (mostStatements + 150))
  const rows = await Promise.all(
    order.map((n) => executeFor<Record<string, string>>(client, 1, prepared(variant(n, `of ${n}`)))),
  )
  for (const [at, n] of order.entries()) assert.deepEqual(rows[at], [{ [`column ${n}`]: `of ${n}` }])
  assert.equal((await kept()).length, mostStatements + 1)
})

test('a statement that fails can be sent again, wherever it failed', async () => {
  const unparsable = sql`select no_such_column`
  for (let n = 0; n < 3; n++) await assert.rejects(executeFor(client, 1, prepared(unparsable)), { code: '42703' })
  const division = (by: number) => sql`select 6 / ${by}::int as result`
  await assert.rejects(executeFor(client, 1, prepared(division(0))), { code: '22012' })
  assert.deepEqual(await executeFor(client, 1, prepared(division(2))), [{ result: 3 }])
  const unsendable = { toPostgres: () => assert.fail('not to be sent') }
  await assert.rejects(executeFor(client, 1, prepared(variant(5_000, unsendable))), /not to be sent/)
  assert.deepEqual(await executeFor(client, 1, prepared(variant(5_000, 'a value'))), [{ 'column 5000': 'a value' }])
  await assert.rejects(executeFor(client, 1, prepared(variant(5_000, unsendable))), /not to be sent/)
  assert.deepEqual(await executeFor(client, 1, prepared(variant(5_000, 'a value'))), [{ 'column 5000': 'a value' }])
})

test('a statement keeps its plan, and one that brings many rows is planned for them each time', async () => {
  const writer = await connectSecurely(gatehouse.connection, sessions.writer, { pipeline: true } as pg.ClientConfig)
  const rowsOf = (ids: unknown) => sql`select count(*)::int as count from unnest(${ids}::int[]) as given (id)`
  const ids = (count: number) => Array.from({ length: count }, (_, n) => n)
  const plans = async () => {
    const { rows } = await writer.query(`select generic_plans::int as kept, custom_plans::int as made
      from pg_prepared_statements where statement like '%as given (id)'`)
    return rows[0]
  }
  try {
    await writer.query('begin')
    for (let n = 0; n < 20; n++) assert.deepEqual(await execute(writer, rowsOf(ids(100))), [{ count: 100 }])
    const few = await plans()
    assert.deepEqual(few, { kept: 15, made: 5 })
    for (const many of [ids(101), ids(2_000), `{${ids(2_000).join(',')}}`]) {
      for (let n = 0; n < 8; n++) await execute(writer, rowsOf(many))
    }
    assert.deepEqual(await plans(), { kept: few.kept, made: few.made + 24 })
    await execute(writer, rowsOf(ids(100)))
    assert.equal((await plans()).kept, few.kept + 1, 'what comes after it has its plan still')
    const words = Object.fromEntries(ids(200).map((n) => [`word ${n}`, 'text']))
    const texts = sql`select ${textArray([JSON.stringify(words)])}::text[] as one`
    for (let n = 0; n < 6; n++) await execute(writer, texts)
    const { rows: kept } = await writer.query(`select generic_plans::int as times from pg_prepared_statements
      where statement like '%as one'`)
    assert.deepEqual(kept, [{ times: 1 }], 'commas within an element are none between elements')
    await assert.rejects(execute(writer, rowsOf([...ids(200), 'none'])), { code: '22P02' })
    await writer.query('rollback')
    assert.deepEqual((await writer.query('show plan_cache_mode')).rows, [{ plan_cache_mode: 'auto' }])
  } finally {
    await writer.end()
  }
})

test('what sets the tenant of a read is planned a few times, however many reads there are', async () => {
  const reader = await connectSecurely(gatehouse.connection, sessions.reader)
  try {
    await prepareTenants(reader)
    for (let n = 0; n < 30; n++) await executeFor(reader, 1, prepared(sql`select 1`))
    const { rows } = await reader.query(`select custom_plans::int as made from pg_prepared_statements
      where statement like '%gatehouse.tenant%'`)
    assert.deepEqual(rows, [{ made: 5 }])
  } finally {
    await reader.end()
  }
})

test('a tenant is set for one statement, and a connection remembers none', async () => {
  const { deploymentId } = gatehouse.owner
  assert.deepEqual(await executeFor(client, deploymentId, prepared(sql`select id from deployment`)), [
    { id: deploymentId },
  ])
  assert.deepEqual(await execute(client, sql`select id from deployment`), [])
  await assert.rejects(executeFor(client, deploymentId, prepared(sql`select 1 / 0`)))
  assert.deepEqual(await execute(client, sql`select id from deployment`), [])
})

test('the tenant of a transaction ends with it', async () => {
  const writer = await connectSecurely(gatehouse.connection, sessions.writer)
  try {
    for (const end of ['commit', 'rollback']) {
      await writer.query('begin')
      await bindTenant(writer, gatehouse.owner.deploymentId)
      assert.equal((await writer.query('select id from deployment')).rows.length, 1)
      await writer.query(end)
      assert.equal((await writer.query('select id from deployment')).rows.length, 0, end)
    }
  } finally {
    await writer.end()
  }
})
