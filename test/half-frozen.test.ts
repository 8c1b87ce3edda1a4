import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from './gatehouse.ts'

test('told to stop while all sessions but the heartbeat are frozen, it still ends', { timeout: 60_000 }, async () => {
  const gatehouse = await openGatehouse({ stopPatienceMs: 2_000 })
  const frozen = (await sessions(gatehouse.connection)).filter(({ query }) => !/pg_backend_pid/.test(query))
  assert.ok(frozen.length > 2)
  for (const { pid } of frozen) process.kill(pid, 'SIGSTOP')
  try {
    await gatehouse.stop()
  } finally {
    for (const { pid } of frozen) process.kill(pid, 'SIGCONT')
  }
  await gatehouse.clear()
})

/** Every session but the one that asks, and its last statement. */
async function sessions(connection: pg.ClientConfig): Promise<{ pid: number; query: string }[]> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(`select pid, query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await client.end()
  return rows
}
