import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { withIds } from '../../repositories/public.ts'
import { listDeployments } from '../word-index/block-store.ts'
import * as store from './merge-store.ts'

const everySeconds = 10
/** Some tenths of a second in one transaction. */
const rowsAtOnce = 2_000

/** Keeps the rows of counters few that are read: every change of findings adds some. */
export function createCounterMerging(db: Database): Periodic {
  async function run(): Promise<void> {
    for (const { id } of await listDeployments({ query: db.workerQuery })) await mergeAll(id)
  }

  async function mergeAll(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'findings-counters')
    for (;;) {
      const repositories = await store.listChanged(db.as(actor), rowsAtOnce)
      if (repositories.length === 0) return
      const merged = await db.transaction(actor, (tx) => merge(tx, repositories))
      if (merged === 0) return
    }
  }

  return { name: 'findings.counters', everySeconds, run }
}

async function merge(tx: Transaction, repositories: readonly number[]): Promise<number> {
  await store.lockMerging(tx)
  // Whoever deletes a repository deletes its counters: not while they are written again.
  const existing = await withIds(tx, tx.actor, repositories)
  return store.merge(tx, [store.wholeDeployment, ...existing], rowsAtOnce)
}
