import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { createPackageKnowledge } from './package-knowledge.ts'

test('a database that does not answer holds up nobody for long, and what was known goes on counting', async (t) => {
  const clock = { at: Date.parse('2026-11-01T12:00:00Z'), now: () => new Date(clock.at) }
  const gatehouse = await openGatehouse({ clock })
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await gatehouse.close()
  })
  const knowledge = createPackageKnowledge({ db: gatehouse.db, clock })
  const { deploymentId } = gatehouse.owner
  const waitFor = async (name: string) => {
    const startedAt = performance.now()
    await knowledge.load(deploymentId, 'npm', name)
    return performance.now() - startedAt
  }
  await waitFor('known')
  const before = knowledge.peek(deploymentId, 'npm', 'known')
  assert.ok(before)

  await admin.query('begin; lock table firewall_archive in access exclusive mode')
  clock.at += 61_000
  const again = await waitFor('known')
  assert.ok(again >= 900 && again < 4_000, `${again} ms`)
  assert.equal(knowledge.peek(deploymentId, 'npm', 'known'), before)
  const anew = await waitFor('unknown')
  assert.ok(anew >= 4_900 && anew < 12_000, `${anew} ms`)
  assert.equal(knowledge.peek(deploymentId, 'npm', 'unknown'), undefined)

  // What was asked for meanwhile is there once the database answers.
  await admin.query('rollback')
  await waitFor('unknown')
  assert.ok(knowledge.peek(deploymentId, 'npm', 'unknown'))
})
