import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type pg from 'pg'
import { throwAwayDatabase } from '../../../../test/cluster.ts'
import { CollectingClient } from './collect-writes.ts'

test('what is sent without waiting leaves in one write, and what waits in its own', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const client = new CollectingClient({ ...connection, pipeline: true } as pg.ClientConfig)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let writes = 0
  for (const name of ['_write', '_writev'] as const) {
    const plain = stream[name]!.bind(stream) as (...given: unknown[]) => void
    stream[name] = (...given: unknown[]) => {
      writes++
      plain(...given)
    }
  }
  const together = [1, 2, 3, 4, 5].map((n) => client.query('select $1::int as n', [n]))
  assert.deepEqual(
    (await Promise.all(together)).map(({ rows }) => rows[0].n),
    [1, 2, 3, 4, 5],
  )
  assert.equal(writes, 1)
  for (const n of [1, 2]) await client.query('select $1::int', [n])
  assert.equal(writes, 3)
  await client.end()
})
