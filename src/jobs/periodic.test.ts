import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import pino from 'pino'
import { createPeriodics } from './periodic.ts'
import { bringForward } from './queue.ts'
import { openQueue, until } from './test-queue.ts'

const log = pino({ level: 'silent' })

test('periodic work is done by one of several processes, and not before it is due again', {
  timeout: 60_000,
}, async (t) => {
  const { db, admin } = await openQueue(t)
  let runs = 0
  let atOnce = 0
  let most = 0
  const task = {
    name: 'count',
    everySeconds: 3_600,
    async run() {
      runs++
      most = Math.max(most, ++atOnce)
      await new Promise((resolve) => setTimeout(resolve, 50))
      atOnce--
    },
  }
  const processes = Array.from({ length: 3 }, () => createPeriodics({ db, log, tasks: [task] }))
  t.after(() => Promise.all(processes.map((each) => each.stop())))
  const settled = async () =>
    (await admin.query('select 1 from periodic_task where leased_until is null and due_at > now()')).rows.length > 0
  for (const each of processes) each.start()
  await until(async () => runs > 0 && (await settled()))
  assert.equal(runs, 1)
  await admin.query('update periodic_task set due_at = now()')
  await until(async () => runs > 1 && (await settled()))
  assert.deepEqual([runs, most], [2, 1])
})

test('what fails comes back within a minute; what a dead process had taken comes back when its lease is over', async (t) => {
  const { db, admin } = await openQueue(t)
  const seen: string[] = []
  const failing = { name: 'failing', everySeconds: 86_400, run: () => Promise.reject(new Error('on purpose')) }
  const orphan = { name: 'orphan', everySeconds: 86_400, run: async () => void seen.push('orphan') }
  const taken = { name: 'taken', everySeconds: 86_400, run: async () => void seen.push('taken') }
  await admin.query(`insert into periodic_task values ('orphan', now(), now() - interval '1 second'),
    ('taken', now(), now() + interval '1 minute')`)
  const periodics = createPeriodics({ db, log, tasks: [failing, orphan, taken] })
  t.after(() => periodics.stop())
  periodics.start()
  await until(
    async () =>
      (await admin.query('select 1 from periodic_task where leased_until is null and due_at > now()')).rows.length ===
      2,
  )
  const { rows } = await admin.query(
    "select name, due_at < now() + interval '61 seconds' as soon from periodic_task order by 1",
  )
  assert.deepEqual(rows, [
    { name: 'failing', soon: true },
    { name: 'orphan', soon: false },
    { name: 'taken', soon: true },
  ])
  assert.deepEqual(seen, ['orphan'])
})

test('what is due at once begins one after another, and waits for nothing that takes long', async (t) => {
  const { db, admin } = await openQueue(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  let atOnce = 0
  let most = 0
  const quick = Array.from({ length: 8 }, (_, at) => ({
    name: `quick ${at}`,
    everySeconds: 3_600,
    async run() {
      most = Math.max(most, ++atOnce)
      await Promise.resolve()
      atOnce--
    },
  }))
  const long = { name: 'long', everySeconds: 3_600, run: () => promise }
  const periodics = createPeriodics({ db, log, tasks: [long, ...quick] })
  t.after(() => periodics.stop())
  periodics.start()
  const settled = 'select from periodic_task where leased_until is null and due_at > now()'
  await until(async () => (await admin.query(settled)).rowCount === quick.length)
  resolve()
  assert.equal(most, 1)
})

test('a stop gives back what has not begun', { timeout: 60_000 }, async (t) => {
  const { db, admin } = await openQueue(t)
  const begun: string[] = []
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const run = (name: string) => async (signal?: AbortSignal) => {
    begun.push(name)
    resolve()
    await once(signal!, 'abort')
  }
  const tasks = ['a', 'b', 'c'].map((name) => ({ name, everySeconds: 3_600, run: run(name) }))
  const periodics = createPeriodics({ db, log, tasks })
  periodics.start()
  await first
  await periodics.stop()
  assert.deepEqual(begun, ['a'])
  const { rows } = await admin.query('select name, leased_until, due_at <= now() as due from periodic_task order by 1')
  assert.deepEqual(rows, [
    { name: 'a', leased_until: null, due: false },
    { name: 'b', leased_until: null, due: true },
    { name: 'c', leased_until: null, due: true },
  ])
})

test('work that takes long is told of a stop, and ends early', { timeout: 60_000 }, async (t) => {
  const { db } = await openQueue(t)
  let isUnderWay = false
  const run = async (signal?: AbortSignal) => {
    isUnderWay = true
    await once(signal!, 'abort')
    throw signal!.reason
  }
  const periodics = createPeriodics({ db, log, tasks: [{ name: 'long', everySeconds: 86_400, run }] })
  periodics.start()
  await until(async () => isUnderWay)
  await periodics.stop()
})

test('a stop does not wait for work that takes too long, and leaves it to whoever comes next', {
  timeout: 60_000,
}, async (t) => {
  const { db, admin } = await openQueue(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isUnderWay = false
  const run = () => {
    isUnderWay = true
    return promise
  }
  const task = { name: 'long', everySeconds: 86_400, run }
  const periodics = createPeriodics({ db, log, tasks: [task], patienceSeconds: 0.1 })
  periodics.start()
  await until(async () => isUnderWay)
  await periodics.stop()
  const { rows } = await admin.query(
    "select leased_until between now() and now() + interval '1 minute' as leased, due_at <= now() as due from periodic_task",
  )
  assert.deepEqual(rows, [{ leased: true, due: true }])
  resolve()
  await until(async () => (await admin.query('select from periodic_task where leased_until is null')).rowCount === 1)
})

test('what was put off while the clock was ahead does not wait for that time', { timeout: 60_000 }, async (t) => {
  const { db, admin } = await openQueue(t)
  const seen: string[] = []
  const task = (name: string) => ({ name, everySeconds: 3_600, run: async () => void seen.push(name) })
  await admin.query(`insert into periodic_task values ('put off', now() + interval '5 hours', null),
    ('taken', now(), now() + interval '5 hours'), ('in an hour', now() + interval '1 hour', null)`)
  const periodics = createPeriodics({ db, log, tasks: ['put off', 'taken', 'in an hour'].map(task) })
  t.after(() => periodics.stop())
  periodics.start()
  await until(
    async () => (await admin.query('select from periodic_task where leased_until is not null')).rowCount === 0,
  )
  assert.deepEqual(seen.toSorted(), ['put off', 'taken'])
})

test('jobs that were put off while the clock was ahead do not wait for that time', async (t) => {
  const { db, admin, tenant, put } = await openQueue(t)
  const of = (lane: string) => ({ kind: 'a', payload: 0, lane })
  await put(await tenant(), ['new', 'tried', 'tried then'].map(of))
  await admin.query(`update outbox set run_at = now() + interval '5 hours'`)
  await admin.query(`update outbox set created_at = now() + interval '5 hours' where lane = 'new'`)
  await admin.query(`update outbox set attempt = 3 where lane <> 'new'`)
  await admin.query(`update outbox set run_at = now() + interval '1 year' where lane = 'tried then'`)
  await db.workerQuery(bringForward())
  const { rows } = await admin.query('select lane from outbox where run_at <= now() order by lane')
  assert.deepEqual(rows, [{ lane: 'new' }, { lane: 'tried then' }])
})
