import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseProblem } from '../../src/kernel/database/database-problem.ts'
import { migrate, pendingMigrations } from '../../src/kernel/database/migrations/migrate.ts'
import { distribute } from './distribute.ts'
import { startCitus, withoutCitus } from './nodes.ts'

test('with Citus a database is used as any other, until its tables are distributed', {
  skip: withoutCitus,
}, async (t) => {
  const { coordinator, stop } = await startCitus()
  t.after(stop)
  await migrate(coordinator)
  assert.deepEqual(await pendingMigrations(coordinator), [])
  await distribute(coordinator, 2)
  const refused = (error: unknown) => {
    assert.ok(error instanceof DatabaseProblem, `${error}`)
    assert.match(error.message, /Citus has distributed tables/)
    return true
  }
  await assert.rejects(migrate(coordinator), refused)
  await assert.rejects(pendingMigrations(coordinator), refused)
})
