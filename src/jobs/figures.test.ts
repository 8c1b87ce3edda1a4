import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGatehouse } from '../../test/gatehouse.ts'
import { systemActor } from '../kernel/access/actor.ts'
import { enqueueMany } from '../kernel/jobs/outbox.ts'
import { createQueueFigures } from './figures.ts'
import { openQueue } from './test-queue.ts'

test('what waits, how long the oldest has, and what was given up, by kind', async (t) => {
  const { db, admin, tenant, put } = await openQueue(t)
  const [a, b] = [await tenant(), await tenant()]
  await put(a, [
    { kind: 'x', payload: 0 },
    { kind: 'x', payload: 0 },
    { kind: 'y', payload: 0 },
  ])
  await put(b, [
    { kind: 'x', payload: 0 },
    { kind: 'y', payload: 0 },
  ])
  await admin.query("update outbox set created_at = now() - interval '1 hour' where id = (select min(id) from outbox)")
  await admin.query('update outbox set dead_at = now() where id = (select max(id) from outbox)')
  const figures = createQueueFigures(db, ['x', 'z'])
  assert.deepEqual(Object.fromEntries(await figures.gauges.jobs_waiting.read()), { x: 3, z: 0, y: 1 })
  assert.deepEqual(Object.fromEntries(await figures.gauges.jobs_dead.read()), { x: 0, z: 0, y: 1 })
  const oldest = await figures.gauges.jobs_oldest_seconds.read()
  assert.ok(oldest.get('x')! >= 3_600 && oldest.get('z') === 0)
})

test('they are in /metrics', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
    enqueueMany(tx, [{ kind: 'nobody.knows', payload: 0 }]),
  )
  const text = (await gatehouse.call('GET', '/metrics')).body
  assert.match(text, /^gatehouse_jobs_waiting\{kind="nobody\.knows"\} 1$/m)
  assert.match(text, /^gatehouse_jobs_waiting\{kind="automation\.action"\} 0$/m)
  assert.match(text, /^gatehouse_jobs_oldest_seconds\{kind="nobody\.knows"\} [0-9.e-]+$/m)
})
