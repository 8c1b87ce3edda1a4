import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { inStep } from '../../../kernel/database/in-step.ts'
import { eachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { lockRepository } from '../ingest/reconcile-store.ts'
import { endFindings } from '../lifecycle/transition-store.ts'
import * as store from './end-store.ts'

export type EndedPullRequest = {
  repositoryId: number
  pullRequest: number
  /** What the history says of its findings. */
  why: string
  /** The scan that showed it; 0 where none did. */
  scanId: number
  at?: Date | undefined
}

export type EndPullRequest = (tx: Transaction, ended: EndedPullRequest) => Promise<number>

/**
 * A pull request was merged, closed or forgotten. What stands open in it is no longer a matter of it: it is in the base, or
 * nowhere. What somebody settled stays as it is. Scanned again, it is as before. Answers how many findings it had open.
 */
export const endPullRequest: EndPullRequest = async (tx, { repositoryId, pullRequest, why, scanId, at }) => {
  const [, , ids] = await Promise.all([
    lockRepository(tx, repositoryId),
    store.markEnded(tx, repositoryId, pullRequest),
    store.listOpen(tx, repositoryId, pullRequest),
  ])
  await endFindings(tx, ids, { scanId, note: why, at })
  return ids.length
}

export type EndMerged = typeof endMerged

/** A full scan of a branch ends the pull requests that its commit has brought into it. */
export async function endMerged(
  tx: Transaction,
  pullRequests: readonly number[],
  { ref, ...about }: { repositoryId: number; ref: string; scanId: number; at?: Date | undefined },
): Promise<void> {
  const why = `The pull request was merged into ${ref}.`
  await inStep(
    tx,
    pullRequests.map((pullRequest) => (tx: Transaction) => endPullRequest(tx, { ...about, pullRequest, why })),
  )
}

const daysUntilForgotten = 30
const everySeconds = 3_600
const atOnce = 500

/** Nobody says of every pull request that it ended: one that is not scanned for a month is over. */
export function createForgetting(db: Database): Periodic {
  async function forgetIn(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'forgotten-pull-requests')
    for (;;) {
      const some = await store.listForgotten(db.as(actor), daysUntilForgotten, atOnce)
      for (const { repository_id: repositoryId, pull_request: pullRequest } of some) {
        const why = `The pull request was not scanned for ${daysUntilForgotten} days.`
        await db.transaction(actor, async (tx) => {
          await lockRepository(tx, repositoryId)
          // It may have been scanned since it was listed.
          if (!(await store.isForgotten(tx, repositoryId, pullRequest, daysUntilForgotten))) return
          await endPullRequest(tx, { repositoryId, pullRequest, why, scanId: 0 })
        })
      }
      if (some.length < atOnce) return
    }
  }

  return { name: 'findings.pull-requests', everySeconds, run: () => eachDeployment(db, forgetIn) }
}
