import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { withIds } from '../../repositories/public.ts'
import * as store from './merge-store.ts'

const everySeconds = 10
/** Some tenths of a second in one transaction. */
const rowsAtOnce = 2_000

/** Keeps the rows of counters few that are read: every change of findings adds some. */
export function createCounterMerging(db: Database): Periodic {
  async function mergeAll(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'findings-counters')
    for (let found = false; ; found = true) {
      const repositories = await store.listChanged(db.as(actor), rowsAtOnce)
      if (repositories.length === 0) return found
      const merged = await db.transaction(actor, (tx) => merge(tx, repositories))
      if (merged === 0) return true
    }
  }

  return { name: 'findings.counters', everySeconds, run: inEachDeployment(db, mergeAll) }
}

async function merge(tx: Transaction, repositories: readonly number[]): Promise<number> {
  await store.lockMerging(tx)
  // Whoever deletes a repository deletes its counters: not while they are written again.
  const existing = await withIds(tx, tx.actor, repositories)
  return store.merge(tx, [store.wholeDeployment, ...existing], rowsAtOnce)
}
