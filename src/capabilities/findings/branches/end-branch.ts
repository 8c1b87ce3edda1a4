import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { eachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { lockRepository } from '../ingest/reconcile-store.ts'
import { endFindings } from '../lifecycle/transition-store.ts'
import * as store from './end-branch-store.ts'

type EndedBranch = {
  repositoryId: number
  ref: string
  /** What the history says of its findings. */
  why: string
}

export type EndBranch = (tx: Transaction, ended: EndedBranch) => Promise<number>

/**
 * A branch was deleted or forgotten: what stands on it is on another branch, or nowhere. What somebody settled stays as it is.
 * Scanned again, it is as before. Answers how many findings stood on it.
 */
export const endBranch: EndBranch = async (tx, { repositoryId, ref, why }) => {
  const [, , ids] = await Promise.all([
    lockRepository(tx, repositoryId),
    store.markEnded(tx, repositoryId, ref),
    store.listUndecided(tx, repositoryId, ref),
  ])
  await endFindings(tx, ids, { scanId: 0, note: why })
  return ids.length
}

const everySeconds = 3_600
const atOnce = 500

/** Nobody says of every branch that it was deleted: one that is not scanned for long is over. */
export function createBranchForgetting(db: Database, days: number): Periodic {
  async function forgetIn(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'forgotten-branches')
    for (;;) {
      const some = await store.listForgotten(db.as(actor), days, atOnce)
      for (const { repository_id: repositoryId, ref } of some) {
        await db.transaction(actor, async (tx) => {
          await lockRepository(tx, repositoryId)
          // It may have been scanned since it was listed.
          if (!(await store.isForgotten(tx, repositoryId, ref, days))) return
          await endBranch(tx, { repositoryId, ref, why: `The branch was not scanned for ${days} days.` })
        })
      }
      if (some.length < atOnce) return
    }
  }

  return { name: 'findings.branches', everySeconds, run: () => eachDeployment(db, forgetIn) }
}
