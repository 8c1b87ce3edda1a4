import type { Fire } from '../../../domain/trigger-event.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { type JobHandler, Permanent } from '../../../kernel/jobs/job.ts'
import {
  followInventory,
  listBranchStreams,
  listStoredFindings,
  type Reconcile,
  type Subjects,
} from '../../findings/public.ts'
import { pathsInInventory } from '../../inventory/public.ts'
import { lockInventory } from '../../scans/public.ts'
import { matchKind } from './enqueue-rematches.ts'
import { hitsInInventory } from './match-store.ts'
import { source } from './matching.ts'
import { observations } from './observations.ts'
import { resolutionReasons } from './resolution-reasons.ts'
import { successorsAmong } from './successors.ts'

export type RematchParts = { db: Database; reconcile: Reconcile; subjects: Subjects; fire: Fire }

/**
 * Looks at the inventory of a repository again, because advisories about something it has have changed. What is new
 * reaches automations as if a scan had brought it; only that there is no scan which they could block.
 */
export function rematching({ db, reconcile, subjects, fire }: RematchParts): JobHandler {
  return {
    kind: matchKind,
    run: async ({ deploymentId, payload, key }) => {
      const { repositoryId } = payload as { repositoryId?: unknown }
      if (typeof repositoryId !== 'number') throw new Permanent('The job names no repository.')
      await db.transaction(systemActor(deploymentId, key), (tx) => rematch(tx, repositoryId))
    },
  }

  async function rematch(tx: Transaction, repositoryId: number): Promise<void> {
    const inventory = await lockInventory(tx, repositoryId)
    if (!inventory) return
    const { ref, ...repository } = inventory
    const hits = await hitsInInventory(tx, repositoryId)
    const observed = observations(hits, await pathsInInventory(tx, repositoryId, hits))
    const place = { repositoryId, ref, pullRequest: 0, source }
    // Releases before left the findings on the branch that was scanned last.
    await followInventory(tx, { ...place, scanId: 0 }, await listBranchStreams(tx, place))
    const seen = new Set(observed.map((one) => one.fingerprint))
    const gone = (await listStoredFindings(tx, place)).filter((one) => !seen.has(one.fingerprint))
    const whyFixed = await resolutionReasons(tx, gone, observed)
    const successors = successorsAmong(observed)
    const { newIds } = await reconcile(tx, { ...place, scanId: 0, complete: true, observed, successors, whyFixed })
    if (newIds.length === 0) return
    await fire(tx, {
      source: 'TRIGGER_SOURCE_SCAN',
      repository,
      ref,
      scanId: 0,
      pullRequest: 0,
      subjects: async (at) => {
        const all = await subjects(at, { repositoryId, ref, pullRequest: 0, newIds })
        return all.filter((subject) => subject.isNew)
      },
    })
  }
}
