import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { local, reference } from '../../src/kernel/database/distribution/placement.ts'
import { throwAwayDatabase } from '../cluster.ts'

let database: Awaited<ReturnType<typeof throwAwayDatabase>>
let client: pg.Client

before(async () => {
  database = await throwAwayDatabase()
  client = new pg.Client(database.connection)
  await client.connect()
})

after(async () => {
  await client.end()
  await database.drop()
})

async function listed(statement: string): Promise<string[]> {
  const { rows } = await client.query<{ found: string }>(statement)
  return rows.map(({ found }) => found)
}

const tables = () =>
  listed(`select relname as found from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`)

test('every table that is named is there', async () => {
  const known = await tables()
  assert.deepEqual(
    [...reference, ...local].filter((table) => !known.includes(table)),
    [],
  )
  assert.deepEqual(
    reference.filter((table) => local.includes(table)),
    [],
  )
})

test('every other table has its deployment in every key', async () => {
  const without = await listed(`select distinct c.relname as found from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'deployment_id' and a.attnotnull
    left join pg_index i on i.indrelid = c.oid and i.indisunique and not a.attnum = any(i.indkey::smallint[])
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (a.attnum is null or i.indexrelid is not null)`)
  assert.deepEqual(
    (await tables()).filter((table) => without.includes(table) && ![...reference, ...local].includes(table)),
    [],
  )
})

test('a reference table refers to reference tables alone, a distributed one within its deployment, and nothing to a local one', async () => {
  const { rows } = await client.query<{ from: string; to: string; within: boolean }>(`select
      conrelid::regclass::text as "from", confrelid::regclass::text as "to",
      exists (select from unnest(conkey, confkey) as pair (own, other)
        join pg_attribute a on a.attrelid = conrelid and a.attnum = own and a.attname = 'deployment_id'
        join pg_attribute b on b.attrelid = confrelid and b.attnum = other and b.attname = 'deployment_id') as within
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`)
  assert.ok(rows.length > 0)
  const wrong = rows.filter(({ from, to, within }) => {
    if (local.includes(from) || local.includes(to)) return true
    if (reference.includes(to)) return false
    return reference.includes(from) || !within
  })
  assert.deepEqual(wrong, [])
})
