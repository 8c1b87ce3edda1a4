import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemActor } from '../kernel/access/actor.ts'
import { type Job, Permanent, Postponed, Transient } from '../kernel/jobs/job.ts'
import { enqueue } from '../kernel/jobs/outbox.ts'
import { openQueue, until } from './test-queue.ts'

const limit = { timeout: 60_000 }

test('what is rolled back was never asked for; what is committed is done and gone', limit, async (t) => {
  const { db, tenant, work, rows } = await openQueue(t)
  const deploymentId = await tenant()
  const actor = systemActor(deploymentId, 'test')
  const done: Job[] = []
  work([{ kind: 'note', run: async (job) => void done.push(job) }])
  const failing = db.transaction(actor, async (tx) => {
    await enqueue(tx, { kind: 'note', payload: 'never' })
    throw new Error('on purpose')
  })
  await assert.rejects(failing, /on purpose/)
  const id = await db.transaction(actor, (tx) => enqueue(tx, { kind: 'note', payload: { a: 1 }, key: 'k' }))
  await until(async () => done.length > 0 && (await rows()).length === 0)
  const { signal: _, ...job } = done[0]!
  assert.deepEqual(job, { id, deploymentId, kind: 'note', payload: { a: 1 }, attempt: 1, key: 'k' })
  assert.equal(done.length, 1)
})

test('what fails is tried again with the same key, and given up in the end', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const tries: [string, number][] = []
  const run = async (job: Job) => {
    tries.push([job.key, job.attempt])
    if (job.payload === 'twice' && job.attempt === 3) return
    if (job.payload === 'hopeless') throw new Permanent('The receiver is gone.')
    if (job.payload === 'bug') throw new Error('password hunter2')
    throw new Transient('Not now.')
  }
  await put(await tenant(), [
    { kind: 'a', payload: 'twice', key: '1', lane: '1' },
    { kind: 'a', payload: 'hopeless', key: '2', lane: '2' },
    { kind: 'a', payload: 'bug', key: '3', lane: '3' },
    { kind: 'a', payload: 'never', key: '4', lane: '4' },
  ])
  work([{ kind: 'a', run }], { maxAttempts: 4 })
  await until(async () => (await rows()).every(({ dead_at }) => dead_at !== null))
  const dead = (await rows()).map(({ key, attempt, error }) => [key, attempt, error])
  assert.deepEqual(dead, [
    ['2', 1, 'The receiver is gone.'],
    ['3', 4, 'Something went wrong on our side; the log has the details.'],
    ['4', 4, 'Not now.'],
  ])
  const attempts = (key: string) => tries.filter((each) => each[0] === key).map(([, attempt]) => attempt)
  assert.deepEqual(['1', '2', '3', '4'].map(attempts), [[1, 2, 3], [1], [1, 2, 3, 4], [1, 2, 3, 4]])
})

test('what is postponed waits as long as it says, and no try is counted', limit, async (t) => {
  const { admin, tenant, put, work, rows } = await openQueue(t)
  const attempts: number[] = []
  const run = async ({ attempt }: Job) => {
    attempts.push(attempt)
    if (attempts.length < 5) throw new Postponed('Not in this hour.', 3_600)
  }
  await put(await tenant(), [{ kind: 'a', payload: 0 }])
  work([{ kind: 'a', run }], { maxAttempts: 2 })
  const isPutBack = async () => (await rows())[0]!.leased_until === null && (await rows())[0]!.error !== ''
  for (let round = 1; round < 5; round++) {
    await until(async () => attempts.length === round && (await isPutBack()))
    const [row] = await rows()
    assert.deepEqual([row!.attempt, row!.error, row!.dead_at], [0, 'Not in this hour.', null])
    assert.ok(Number(row!.run_at) > Date.now() + 3_000_000)
    await admin.query('update outbox set run_at = now(), error = $1', [''])
  }
  await until(async () => (await rows()).length === 0)
  assert.deepEqual(attempts, [1, 1, 1, 1, 1])
})

test('jobs of a lane wait for each other, those of other lanes do not', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const deploymentId = await tenant()
  const lanes = ['a', 'b', 'c']
  const now = new Map<string, number>()
  let mostInLane = 0
  let mostLanes = 0
  const run = async ({ payload }: Job) => {
    const lane = String(payload)
    now.set(lane, (now.get(lane) ?? 0) + 1)
    mostInLane = Math.max(mostInLane, now.get(lane)!)
    mostLanes = Math.max(mostLanes, [...now.values()].filter((count) => count > 0).length)
    await new Promise((resolve) => setTimeout(resolve, 5))
    now.set(lane, now.get(lane)! - 1)
  }
  await put(
    deploymentId,
    Array.from({ length: 60 }, (_, n) => ({ kind: 'a', payload: lanes[n % 3], lane: lanes[n % 3]! })),
  )
  work([{ kind: 'a', run }])
  work([{ kind: 'a', run }])
  await until(async () => (await rows()).length === 0)
  assert.deepEqual([mostInLane, mostLanes], [1, 3])
})

test("all of a tenant's jobs are done while another's receiver holds up everything it is given", limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const [slow, quick] = [await tenant(), await tenant()]
  const release = Promise.withResolvers<void>()
  let heldUp = 0
  let done = 0
  const run = async ({ deploymentId }: Job) => {
    if (deploymentId === quick) return void done++
    heldUp++
    await release.promise
  }
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ kind: 'a', payload: n, lane: `${n % 50}` }))
  await put(slow, many(1_000))
  const worker = work([{ kind: 'a', run }], { most: 8, mostPerTenant: 4 })
  await until(() => heldUp === 4)
  await put(quick, many(300))
  await until(() => done === 300)
  assert.deepEqual([heldUp, worker.running() >= 4], [4, true])
  release.resolve()
  await until(async () => (await rows()).length === 0)
  assert.deepEqual([heldUp, done], [1_000, 300])
})

test('of many lanes none is served again before all of them were', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const lanes = Array.from({ length: 700 }, (_, n) => `lane ${n}`)
  await put(
    await tenant(),
    [0, 1].flatMap((round) => lanes.map((lane) => ({ kind: 'a', payload: { lane, round }, lane }))),
  )
  const order: { lane: string; round: number }[] = []
  work([{ kind: 'a', run: async ({ payload }) => void order.push(payload as { lane: string; round: number }) }], {
    most: 3,
    mostPerTenant: 3,
  })
  await until(async () => (await rows()).length === 0)
  const firstAgain = order.findIndex(({ round }) => round === 1)
  // Up to as many as are under way at a time may overtake each other.
  assert.ok(firstAgain >= lanes.length - 3, `a second job of a lane came at ${firstAgain}`)
  assert.equal(order.length, 1_400)
})

test('several processes do each job once', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const seen: number[] = []
  const run = async (job: Job) => void seen.push(job.id)
  const jobs = Array.from({ length: 500 }, (_, n) => ({ kind: 'a', payload: n, lane: `${n % 20}` }))
  for (let n = 0; n < 3; n++) work([{ kind: 'a', run }])
  const ids = [...(await put(await tenant(), jobs)), ...(await put(await tenant(), jobs))]
  await until(async () => (await rows()).length === 0)
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    ids,
  )
})

test(
  'a job whose process died is taken again when its lease runs out, and given up if that goes on',
  limit,
  async (t) => {
    const { admin, tenant, put, work, rows } = await openQueue(t)
    const seen: Job[] = []
    await put(await tenant(), [
      { kind: 'a', payload: 'survives', lane: '1' },
      { kind: 'a', payload: 'kills', lane: '2' },
    ])
    // What the dead one had done: claimed, and nothing since.
    await admin.query("update outbox set leased_until = now() - interval '1 second', attempt = 1 where lane = '1'")
    await admin.query("update outbox set leased_until = now() - interval '1 second', attempt = 3 where lane = '2'")
    work([{ kind: 'a', run: async (job) => void seen.push(job) }], { maxAttempts: 3 })
    await until(async () => (await rows()).every(({ dead_at }) => dead_at !== null))
    assert.deepEqual(
      seen.map(({ payload, attempt }) => [payload, attempt]),
      [['survives', 2]],
    )
    assert.match(String((await rows())[0]?.error), /process ended each time/)
  },
)

test('a job that takes longer than its lease stays taken', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  let runs = 0
  const run = async () => {
    runs++
    await new Promise((resolve) => setTimeout(resolve, 1_500))
  }
  work([{ kind: 'a', run }], { leaseSeconds: 0.5 })
  work([{ kind: 'a', run }], { leaseSeconds: 0.5 })
  await put(await tenant(), [{ kind: 'a', payload: 0 }])
  await until(async () => (await rows()).length === 0)
  assert.equal(runs, 1)
})

test('stopping waits for what is under way and takes nothing more', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const release = Promise.withResolvers<void>()
  let begun = 0
  let ended = 0
  const run = async () => {
    begun++
    await release.promise
    ended++
  }
  await put(await tenant(), [
    { kind: 'a', payload: 0 },
    { kind: 'a', payload: 1 },
  ])
  const worker = work([{ kind: 'a', run }])
  await until(() => begun === 1)
  const stopping = worker.stop()
  release.resolve()
  await stopping
  assert.deepEqual([begun, ended, (await rows()).length], [1, 1, 1])
})

test('a kind that nobody here knows waits for whoever does', limit, async (t) => {
  const { tenant, put, work, rows } = await openQueue(t)
  const deploymentId = await tenant()
  const seen: unknown[] = []
  const run = async ({ payload }: Job) => void seen.push(payload)
  await put(deploymentId, [
    { kind: 'unknown', payload: 1 },
    { kind: 'known', payload: 2 },
  ])
  work([{ kind: 'known', run }])
  await until(async () => (await rows()).length === 1)
  assert.deepEqual(seen, [2])
  work([{ kind: 'unknown', run }])
  await until(async () => (await rows()).length === 0)
  assert.deepEqual(seen, [2, 1])
})
