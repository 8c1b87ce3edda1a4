import type { Logger } from 'pino'
import type { Sql } from 'sql-template-tag'
import type { Database } from '../kernel/database/database.ts'
import { type JobHandler, Permanent, Postponed, Transient } from '../kernel/jobs/job.ts'
import { outboxChannel } from '../kernel/jobs/outbox.ts'
import { createTracer, type Tracer } from '../kernel/tracing/tracer.ts'
import { inTrace } from '../kernel/tracing/tracing.ts'
import { type Backoff, patient, waitSeconds } from './backoff.ts'
import { failureReason } from './failure-reason.ts'
import * as queue from './queue.ts'

export type WorkerOptions = {
  /** Jobs at a time in this process, and of one tenant in all processes together. */
  most: number
  mostPerTenant: number
  maxAttempts: number
  backoff: Backoff
  /** How long a job stays taken when its process has died. */
  leaseSeconds: number
  /** Notifications wake us up; this is for what they miss, and for what waits for its time. */
  pollSeconds: number
  longestJobSeconds: number
  /** More than any request outward takes. */
  patienceSeconds: number
}

export const usualWorker: WorkerOptions = {
  most: 64,
  mostPerTenant: 16,
  maxAttempts: 10,
  backoff: patient,
  leaseSeconds: 30,
  pollSeconds: 1,
  longestJobSeconds: 900,
  patienceSeconds: 40,
}

const mostRemembered = 1_000

type WorkerParts = { db: Database; log: Logger; handlers: readonly JobHandler[]; tracer?: Tracer | undefined }
type Running = { row: queue.ClaimedRow; control: AbortController; done: Promise<void> }

/** Takes jobs from the outbox and runs them. Any number of processes may do so on one database. */
export function createWorker(
  { db, log, handlers, tracer = createTracer() }: WorkerParts,
  options: WorkerOptions = usualWorker,
) {
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]))
  if (byKind.size !== handlers.length) throw new Error('two handlers for one kind of job')
  const kinds = [...byKind.keys()]
  const running = new Map<string, Running>()
  const lanes = new Map<number, string>()
  let afterTenant = 0
  let stopping = false
  let claiming: Promise<void> | undefined
  let again = false
  let stopListening = async () => {}
  const timers: NodeJS.Timeout[] = []

  function start(): void {
    if (kinds.length === 0) return
    const listener = db.listen(outboxChannel, wake)
    stopListening = listener.close
    timers.push(setInterval(wake, options.pollSeconds * 1_000).unref())
    timers.push(setInterval(renew, (options.leaseSeconds * 1_000) / 3).unref())
    wake()
  }

  /** At most one claim is under way; who wakes us meanwhile has it repeated. */
  function wake(): void {
    again = true
    claiming ??= claimAll().finally(() => {
      claiming = undefined
    })
  }

  async function claimAll(): Promise<void> {
    while (again && !stopping && running.size < options.most) {
      again = false
      try {
        await claimSome()
      } catch (error) {
        // The database is away; the next poll tries again.
        log.warn({ err: error }, 'no jobs could be claimed')
      }
    }
  }

  async function claimSome(): Promise<void> {
    const { mostPerTenant, leaseSeconds } = options
    const most = options.most - running.size
    const afterLanes = Object.fromEntries(lanes)
    const rows = await db.workerQuery<queue.ClaimedRow>(
      queue.claim({ kinds, most, mostPerTenant, leaseSeconds, afterTenant, afterLanes }),
    )
    for (const row of rows) {
      goOnAfter(row)
      afterTenant = row.deploymentId
      if (row.id === null) again = true
      else begin(row)
    }
  }

  function goOnAfter({ deploymentId, lane }: queue.ClaimedRow): void {
    lanes.delete(deploymentId)
    lanes.set(deploymentId, lane)
    if (lanes.size > mostRemembered) lanes.delete(lanes.keys().next().value!)
  }

  function begin(row: queue.ClaimedRow): void {
    const control = new AbortController()
    const name = `${row.deploymentId}/${row.id}`
    const done = runTraced(row, control).finally(() => {
      running.delete(name)
      wake()
    })
    running.set(name, { row, control, done })
  }

  /** As a part of the trace of the request that it follows from. */
  async function runTraced(row: queue.ClaimedRow, control: AbortController): Promise<void> {
    const span = tracer.begin(row.traceparent ?? undefined, false)
    if (!span) return void (await run(row, control))
    const isDone = await inTrace(span.trace, () => run(row, control))
    const attributes = { 'gatehouse.job': row.id, 'gatehouse.deployment': row.deploymentId, attempt: row.attempt }
    span.end({ start: { name: `job ${row.kind}`, kind: 'consumer', attributes }, failed: !isDone })
  }

  async function run(row: queue.ClaimedRow, control: AbortController): Promise<boolean> {
    const { lane: _, traceparent: __, ...job } = row
    const handler = byKind.get(row.kind)!
    try {
      // A job that ends its process each time is given up as well.
      if (row.attempt > options.maxAttempts) throw new Permanent('The process ended each time while it was at it.')
      await timed(handler.run({ ...job, signal: control.signal }), control)
      await db.workerQuery(queue.finish(row))
      return true
    } catch (error) {
      if (error instanceof Postponed) await putBack(row, queue.postpone(row, error.seconds, failureReason(error)))
      else await failed(row, error)
      return false
    }
  }

  async function failed(job: queue.ClaimedRow, error: unknown): Promise<void> {
    const { id, kind, deploymentId, attempt } = job
    const reason = failureReason(error)
    const isDead = error instanceof Permanent || attempt >= options.maxAttempts
    log.warn({ err: error, job: id, kind, deploymentId, attempt, dead: isDead }, 'a job failed')
    const asked = error instanceof Transient ? error.retryAfterSeconds : undefined
    const seconds = waitSeconds(attempt, options.backoff, Math.random, asked)
    await putBack(job, isDead ? queue.bury(job, reason) : queue.retryLater(job, seconds, reason))
  }

  async function putBack({ id, kind, deploymentId }: queue.ClaimedRow, statement: Sql): Promise<void> {
    try {
      await db.workerQuery(statement)
    } catch (failure) {
      // It stays taken until its lease runs out, and is then tried again.
      log.error({ err: failure, job: id, kind, deploymentId }, 'a job could not be put back')
    }
  }

  function timed(work: Promise<void>, control: AbortController): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = () => {
        control.abort()
        reject(new Error(`the job took longer than ${options.longestJobSeconds} seconds`))
      }
      const timer = setTimeout(late, options.longestJobSeconds * 1_000)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  async function renew(): Promise<void> {
    const held = [...running.values()].map(({ row: { deploymentId, id, attempt } }) => ({ deploymentId, id, attempt }))
    if (held.length === 0) return
    await db
      .workerQuery(queue.renew(held, options.leaseSeconds))
      .catch((error) => log.warn({ err: error }, 'leases could not be renewed'))
  }

  /** Takes nothing more, and waits for what is under way. What does not end is left to whoever comes next. */
  async function stop(): Promise<void> {
    stopping = true
    await stopListening()
    await claiming
    const all = Promise.all([...running.values()].map(({ done }) => done))
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, options.patienceSeconds * 1_000)
    })
    await Promise.race([all, patience])
    clearTimeout(timer)
    for (const each of timers) clearInterval(each)
    for (const { control } of running.values()) control.abort()
  }

  return { start, stop, wake, running: () => running.size }
}
