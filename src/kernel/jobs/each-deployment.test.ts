import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../access/actor.ts'
import { Fault } from '../contract/fault.ts'
import { eachDeployment, inEachDeployment } from './each-deployment.ts'

let gatehouse: TestGatehouse
let other: number
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  other = Number((await gatehouse.addDeployment()).id)
})
after(() => gatehouse.close())

/** In which rounds of so many it was looked into a deployment. */
async function looks(rounds: number, found: (round: number) => boolean, between = async (_round: number) => {}) {
  const seen = new Map<number, number[]>()
  let round = 0
  const run = inEachDeployment(gatehouse.db, async (id) => {
    seen.set(id, [...(seen.get(id) ?? []), round])
    return found(round)
  })
  for (; round < rounds; round++) {
    await run()
    await between(round)
  }
  return seen
}

const change = (deploymentId: number) =>
  gatehouse.db.transaction(systemActor(deploymentId, 'test'), async (tx) => tx.changed('findings', 0))

test('where something is found it is looked every time, and where nothing is, ever less, but not less than that', async () => {
  const { deploymentId } = gatehouse.owner
  assert.deepEqual((await looks(4, () => true)).get(deploymentId), [0, 1, 2, 3])
  const quiet = await looks(34, () => false)
  assert.deepEqual(quiet.get(deploymentId), [0, 2, 5, 9, 14, 20, 26, 32])
  assert.deepEqual(quiet.get(other), quiet.get(deploymentId), 'each deployment for itself')
  assert.deepEqual((await looks(9, (round) => round === 5)).get(deploymentId), [0, 2, 5, 6, 8], 'as at the beginning')
})

test('a deployment that is changed is looked at in the next round, and others are not', async () => {
  const { deploymentId } = gatehouse.owner
  const seen = await looks(
    18,
    () => false,
    async (round) => {
      if (round === 15) await change(deploymentId)
    },
  )
  assert.deepEqual(seen.get(deploymentId), [0, 2, 5, 9, 14, 16])
  assert.deepEqual(seen.get(other), [0, 2, 5, 9, 14])
})

test('where a look fails it is looked again in the next round', async () => {
  const { deploymentId } = gatehouse.owner
  const rounds: number[] = []
  let round = 0
  const run = inEachDeployment(gatehouse.db, async (id) => {
    if (id !== deploymentId) return false
    rounds.push(round)
    if (round === 6) throw new Error('the database is away')
    return false
  })
  for (; round < 9; round++) {
    if (round === 6) await change(deploymentId)
    await run().catch(() => {})
  }
  assert.deepEqual(rounds, [0, 2, 5, 6, 7])
})

test('a deployment where it fails keeps no other from its turn, and what failed is told', async () => {
  const { deploymentId } = gatehouse.owner
  const seen: number[] = []
  const visit = (error: Error) =>
    eachDeployment(gatehouse.db, async (id) => {
      seen.push(id)
      if (id === deploymentId) throw error
    })
  await assert.rejects(visit(new Error('canceling statement due to statement timeout')), /statement timeout/)
  assert.ok(seen.indexOf(other) > seen.indexOf(deploymentId), 'the other comes after it')
  seen.length = 0
  await assert.rejects(visit(new Fault('unavailable', 'The database cannot be reached.')), /cannot be reached/)
  assert.deepEqual(seen.includes(other), false, 'where the database is away all would fail')
})

test('what is changed while it is looked is looked for again', async () => {
  const { deploymentId } = gatehouse.owner
  const rounds: number[] = []
  let round = 0
  const run = inEachDeployment(gatehouse.db, async (id) => {
    if (id !== deploymentId) return false
    rounds.push(round)
    if (round === 2) await change(id)
    return false
  })
  for (; round < 6; round++) await run()
  assert.deepEqual(rounds, [0, 2, 3])
})
