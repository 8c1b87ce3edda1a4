import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import { throwAwayDatabase } from '../../test/cluster.ts'
import { plainVault } from '../../test/plain-vault.ts'
import { poll } from '../../test/servers/real-process.ts'
import { systemActor } from '../kernel/access/actor.ts'
import { createDatabase } from '../kernel/database/database.ts'
import type { JobHandler } from '../kernel/jobs/job.ts'
import { enqueueMany, type NewJob } from '../kernel/jobs/outbox.ts'
import { createWorker, usualWorker, type WorkerOptions } from './worker.ts'

export type TestQueue = Awaited<ReturnType<typeof openQueue>>

const log = pino({ level: 'silent' })
const hasty: Partial<WorkerOptions> = {
  pollSeconds: 0.02,
  backoff: { firstSeconds: 0.001, factor: 1, mostSeconds: 0.001 },
}

/** A database with nothing but the queue in it, and workers on it, as many as a test likes. */
export async function openQueue(t: TestContext) {
  const { connection, drop } = await throwAwayDatabase()
  const db = createDatabase(connection, plainVault)
  const admin = new pg.Client(connection)
  await admin.connect()
  const workers: { stop(): Promise<void> }[] = []
  t.after(async () => {
    for (const worker of workers) await worker.stop()
    await admin.end()
    await db.close()
    await drop()
  })

  async function tenant(): Promise<number> {
    const slug = `t-${randomBytes(6).toString('hex')}`
    const { rows } = await admin.query('insert into deployment (name, slug) values ($1, $1) returning id', [slug])
    return Number(rows[0].id)
  }

  function put(deploymentId: number, jobs: NewJob[]): Promise<number[]> {
    return db.transaction(systemActor(deploymentId, 'test'), (tx) => enqueueMany(tx, jobs))
  }

  function work(handlers: JobHandler[], options: Partial<WorkerOptions> = {}) {
    const worker = createWorker({ db, log, handlers }, { ...usualWorker, ...hasty, ...options })
    workers.push(worker)
    worker.start()
    return worker
  }

  async function rows(): Promise<Record<string, unknown>[]> {
    return (await admin.query('select * from outbox order by id')).rows
  }

  return { db, admin, connection, tenant, put, work, rows }
}

/** Resolves once it holds. What never comes true fails its test, and not the whole file. */
export function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  return poll('what the test waits for', holds, 120_000)
}
