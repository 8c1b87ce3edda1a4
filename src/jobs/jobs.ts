import type { Logger } from 'pino'
import type { Database } from '../kernel/database/database.ts'
import type { JobHandler, Periodic } from '../kernel/jobs/job.ts'
import type { Tracer } from '../kernel/tracing/tracer.ts'
import { createQueueFigures } from './figures.ts'
import { createPeriodics } from './periodic.ts'
import { bringForward, forgetDead } from './queue.ts'
import { createWorker, usualWorker, type WorkerOptions } from './worker.ts'

export type JobOptions = {
  db: Database
  log: Logger
  handlers: readonly JobHandler[]
  periodic: readonly Periodic[]
  worker?: Partial<WorkerOptions> | undefined
  tracer?: Tracer | undefined
}

const daysDeadLettersAreKept = 30

/** Everything that goes on without a request. Nothing does until it is started. */
export function createJobs({ db, log, handlers, periodic, worker: options, tracer }: JobOptions) {
  const cleaning: Periodic = {
    name: 'jobs.clean',
    everySeconds: 3_600,
    run: async () => {
      await db.workerQuery(forgetDead(daysDeadLettersAreKept))
      await db.workerQuery(bringForward())
    },
  }
  const worker = createWorker({ db, log, handlers, tracer }, { ...usualWorker, ...options })
  const periodics = createPeriodics({
    db,
    log,
    tasks: [cleaning, ...periodic],
    patienceSeconds: options?.patienceSeconds,
  })
  const figures = createQueueFigures(
    db,
    handlers.map(({ kind }) => kind),
  )

  function start(): void {
    worker.start()
    periodics.start()
  }

  async function stop(): Promise<void> {
    await Promise.all([worker.stop(), periodics.stop()])
  }

  return { start, stop, wake: worker.wake, running: worker.running, figures }
}
