import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { completeDistribution } from '../../src/kernel/database/distribution/distribute.ts'
import { unplaced } from '../../src/kernel/database/distribution/place-tables.ts'
import { migrate, pendingMigrations } from '../../src/kernel/database/migrate.ts'
import { readMigrations } from '../../src/kernel/database/migration-files.ts'
import { startCitus, withoutCitus } from './nodes.ts'

const shardCount = 2
/** Whatever comes after it has to be something that Citus passes on, or that we do in its place. */
const lastBefore = '0110_finding_deadlines.sql'

test('migrations reach every node of a distributed database, and new tables get their place', {
  skip: withoutCitus,
}, async (t) => {
  const { coordinator, stop } = await startCitus()
  t.after(stop)
  const names = readMigrations().map(({ name }) => name)
  const [before, later] = [names.filter((name) => name <= lastBefore), names.filter((name) => name > lastBefore)]
  await migrate(coordinator, undefined, { only: before })
  const client = new pg.Client(coordinator)
  t.after(() => client.end())
  await client.connect()
  await completeDistribution(client, shardCount)

  assert.deepEqual((await migrate(coordinator)).applied, later)
  assert.deepEqual(await pendingMigrations(coordinator), [])
  assert.deepEqual(await unplaced(client), [])
  // The right of the tenant role, which a migration of these gives by itself.
  const { rows } = await client.query<{ result: string }>(
    `select result from run_command_on_shards('invitation_mail', $$ select has_table_privilege('gatehouse_app', '%s', 'select') $$)`,
  )
  assert.ok(rows.length > 0)
  for (const { result } of rows) assert.equal(result, 't')
})
