import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { throwAwayDatabase } from '../../../../test/cluster.ts'
import { roleNames } from '../../../kernel/database/connections/connection.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { migrate } from '../../../kernel/database/migrations/migrate.ts'
import { recount } from './recount.ts'

/** The last one with sheets, and with counters of hours and weeks. */
const before0040 = '0039_scan_lists.sql'
const folder = join(import.meta.dirname, '..', '..', '..', '..', 'migrations')
const files = readdirSync(folder).sort()

let database: Awaited<ReturnType<typeof throwAwayDatabase>>
/** Sees everything; the schema belongs to somebody who does not, as it does with most own PostgreSQL servers. */
let admin: pg.Client
const owner = `owner_${randomBytes(6).toString('hex')}`
const asOwner = () => ({ ...database.connection, user: owner, password: owner })

before(async () => {
  database = await throwAwayDatabase(false)
  admin = new pg.Client(database.connection)
  await admin.connect()
  await admin.query(`create role ${owner} login password '${owner}' in role ${Object.values(roleNames).join()}`)
  await admin.query(`alter database ${database.connection.database} owner to ${owner}`)
})
after(async () => {
  await admin.query(`reassign owned by ${owner} to current_user; drop owned by ${owner}; drop role ${owner}`)
  await admin.end()
  await database.drop()
})

async function migrateUpTo(last: string): Promise<void> {
  const client = new pg.Client(asOwner())
  await client.connect()
  await client.query(`create table schema_migration (name text primary key, sha256 text not null,
    applied_at timestamptz not null default now())`)
  for (const name of files.filter((file) => file <= last)) {
    const text = readFileSync(join(folder, name), 'utf8')
    await client.query(`begin; ${text}; commit`)
    const sha256 = createHash('sha256').update(text).digest('hex')
    await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [name, sha256])
  }
  await client.end()
}

/** Two deployments with findings of every kind over five months, counted by the functions of their time. */
const filled = `
  insert into deployment (id, name, slug) values (1, 'One', 'one'), (2, 'Two', 'two');
  insert into repository (deployment_id, name, default_branch) select d, 'r' || n, 'main'
    from generate_series(1, 2) d, generate_series(1, 4) n;
  insert into finding_rule (deployment_id, source, external_id, name, title) select d, 'sarif:x', 'rule-' || n, '', ''
    from generate_series(1, 2) d, generate_series(1, 3) n;
  insert into finding (deployment_id, repository_id, stream_id, rule_id, fingerprint, pull_request, product, category, severity,
    confidence, reachability, validity, verdict, malicious, silenced, exposed, state, raised_at, state_at, scan_id, start_line,
    path, title, message, cwes, vulnerability_ids, content, digest)
  select r.deployment_id, r.id, r.id, rule.id, 'f' || rule.id || '-' || n, n % 3, 1 + n % 4, n % 9, 1 + n % 5, n % 4, n / 3 % 4, n / 5 % 4, 0, false,
    n % 11 = 0, false, 1 + n % 8, at, at, 0, 1, 'a.js', '', '', '{}', '{}', '{}', ''
  from repository r join finding_rule rule using (deployment_id), generate_series(1, 150) n,
    lateral (select timestamptz '2026-01-20T10:00:00Z' + n * interval '23 hours 7 minutes') raised (at);
  select move_finding_counts(deployment_id, array_agg(repository_id), array_agg(rule_id), array_agg(category),
    array_agg(date_trunc('hour', raised_at, 'UTC')), array_agg(cell), array_agg(1)) from finding group by deployment_id;
  select move_finding_tallies(deployment_id, array_agg(repository_id),
    array_agg(finding_kind(state, severity, product, pull_request)), array_agg(1)) from finding group by deployment_id`

const numbers = `silenced, open, fixed, ignored, provisional, ended, code_standing, code_exploitable, code_exposed, code_priority,
  sca_standing, sca_exploitable, sca_exposed, sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority`
const sums = numbers.split(',').map((name) => `sum(${name})`)

async function counters(): Promise<unknown[]> {
  const key = 'deployment_id, repository_id, rule_id, category, grain, starts_at'
  const { rows } = await admin.query(`select ${key}, array[${sums}] from finding_count where grain in ('d', 'm')
    group by ${key} order by ${key}`)
  return rows
}

async function tallies(): Promise<unknown[]> {
  const { rows } = await admin.query(`select deployment_id, repository_id, kind, sum(number) from finding_tally
    group by 1, 2, 3 order by 1, 2, 3`)
  return rows
}

async function miscounts(): Promise<unknown[]> {
  const of = (deploymentId: number) =>
    recount({
      deploymentId,
      query: async (statement: pg.QueryConfig) => (await admin.query(statement)).rows,
    } as Queryable)
  return [...(await of(1)), ...(await of(2))]
}

// Told apart without a diff, which takes minutes for thousands of rows.
test('an upgraded database counts what it counted before, and goes on counting', async () => {
  await migrateUpTo(before0040)
  await admin.query(filled)
  const [countersBefore, talliesBefore] = [await counters(), await tallies()]
  assert.ok(countersBefore.length > 1_000 && talliesBefore.length > 100)

  const { applied } = await migrate(asOwner())
  assert.deepEqual(
    applied,
    files.filter((file) => file > before0040),
  )
  assert.ok(isDeepStrictEqual(await counters(), countersBefore))
  assert.ok(isDeepStrictEqual(await tallies(), talliesBefore))
  assert.deepEqual(await miscounts(), [])
  const others = await admin.query(`select from finding_count where grain not in ('d', 'm')`)
  assert.equal(others.rowCount, 0)

  await admin.query(`update repository set publicly_exposed = true where deployment_id = 1 and name = 'r1'`)
  await admin.query(`delete from repository where deployment_id = 2 and name = 'r2'`)
  assert.ok(!isDeepStrictEqual(await counters(), countersBefore))
  assert.deepEqual(await miscounts(), [])
})
