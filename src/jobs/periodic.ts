import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import sql, { type Sql } from 'sql-template-tag'
import type { Database } from '../kernel/database/database.ts'
import type { Periodic } from '../kernel/jobs/job.ts'
import { usualWorker } from './worker.ts'

const leaseSeconds = 60
const tickMs = 1_000
const retrySeconds = 60
/** So much clocks of several machines may differ. */
const clockToleranceSeconds = 60
/** The next one waits for one that is quick, and no longer for one that is not. */
const apartMs = 50

type PeriodicParts = { db: Database; log: Logger; tasks: readonly Periodic[]; patienceSeconds?: number | undefined }

/**
 * Runs each task when it is due, in one of the processes on the database. One that fails is tried again within a minute. After a
 * start all are due: they begin one after another, because all at once would take the connections of requests.
 */
export function createPeriodics({ db, log, tasks, patienceSeconds = usualWorker.patienceSeconds }: PeriodicParts) {
  const running = new Map<string, Promise<void>>()
  const renewals = new Set<NodeJS.Timeout>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> | undefined

  function start(): void {
    if (tasks.length === 0) return
    timer = setInterval(tick, tickMs).unref()
    tick()
  }

  function tick(): void {
    ticking ??= beginDue()
      .catch((error) => log.warn({ err: error }, 'periodic work could not be looked at'))
      .finally(() => {
        ticking = undefined
      })
  }

  async function beginDue(): Promise<void> {
    const idle = tasks.filter(({ name }) => !running.has(name))
    const taken = new Set((await db.workerQuery<{ name: string }>(takeDue(idle))).map(({ name }) => name))
    const due = idle.filter(({ name }) => taken.has(name))
    for (const [at, task] of due.entries()) {
      if (stopping.signal.aborted) return void (await db.workerQuery(giveBack(due.slice(at))))
      const done = run(task).finally(() => running.delete(task.name))
      running.set(task.name, done)
      await Promise.race([done, delay(apartMs, undefined, { ref: false })])
    }
  }

  async function run(task: Periodic): Promise<void> {
    const { name, everySeconds } = task
    const renewal = setInterval(
      () => void db.workerQuery(renew(name)).catch(() => {}),
      (leaseSeconds * 1_000) / 3,
    ).unref()
    renewals.add(renewal)
    let failed = false
    try {
      await task.run(stopping.signal)
    } catch (error) {
      failed = true
      if (stopping.signal.aborted) log.info({ task: name }, 'periodic work was called off')
      else log.error({ err: error, task: name }, 'periodic work failed')
    } finally {
      clearInterval(renewal)
      renewals.delete(renewal)
    }
    const seconds = failed ? Math.min(everySeconds, retrySeconds) : everySeconds
    await db.workerQuery(settle(name, seconds)).catch((error) => log.warn({ err: error, task: name }, 'not settled'))
  }

  /** Waits for what is under way. What does not end is begun again by whoever comes next, when its lease runs out. */
  async function stop(): Promise<void> {
    clearInterval(timer)
    stopping.abort()
    const waiting = new AbortController()
    const patience = delay(patienceSeconds * 1_000, undefined, waiting).catch(() => {})
    await Promise.race([ended(), patience])
    waiting.abort()
    for (const renewal of renewals) clearInterval(renewal)
    if (running.size > 0) log.warn({ tasks: [...running.keys()] }, 'periodic work was broken off')
  }

  async function ended(): Promise<void> {
    await ticking
    await Promise.all(running.values())
  }

  return { start, stop }
}

/**
 * A new task is due at once. Who dies at it loses it when the lease runs out. What is put off for longer than it can be was put off under
 * a clock that was wrong, and would wait for that time.
 */
function takeDue(tasks: readonly Periodic[]): Sql {
  const names = tasks.map(({ name }) => name)
  const seconds = tasks.map(({ everySeconds }) => everySeconds + clockToleranceSeconds)
  return sql`with asked as (
      select * from unnest(${names}::text[], ${seconds}::integer[]) as asked (name, longest)
    ), known as (
      insert into periodic_task (name, due_at) select name, now() from asked on conflict do nothing
    ), due as (
      select task.name from periodic_task task join asked on asked.name = task.name
        where (due_at <= now() or due_at > now() + make_interval(secs => longest))
          and (leased_until is null or leased_until < now()
            or leased_until > now() + make_interval(secs => ${leaseSeconds + clockToleranceSeconds}))
        for update of task skip locked
    )
    update periodic_task set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where name in (select name from due) returning name`
}

/** What was taken and has not begun. */
function giveBack(tasks: readonly Periodic[]): Sql {
  const names = tasks.map(({ name }) => name)
  return sql`update periodic_task set leased_until = null where name = any(${names}::text[])`
}

function renew(name: string): Sql {
  return sql`update periodic_task set leased_until = now() + make_interval(secs => ${leaseSeconds}) where name = ${name}`
}

function settle(name: string, seconds: number): Sql {
  return sql`update periodic_task set leased_until = null, due_at = now() + make_interval(secs => ${seconds})
    where name = ${name}`
}
