import sql from 'sql-template-tag'
import { systemActor } from '../../kernel/actor.ts'
import type { Database, Transaction } from '../../kernel/database.ts'
import { type JobHandler, Permanent } from '../../kernel/job.ts'
import { listStandingFindings, type Reconcile } from '../findings/reads.ts'
import { waysInInventory } from './file-ways.ts'
import { hitsInInventory } from './match-store.ts'
import { source, toObservations } from './matching.ts'
import { matchKind } from './spread.ts'
import { reasonsGone } from './why-gone.ts'

/** Looks at the inventory of a repository again, because advisories about something it has have changed. */
export function rematching(db: Database, reconcile: Reconcile): JobHandler {
  return {
    kind: matchKind,
    run: async ({ deploymentId, payload, key }) => {
      const { repositoryId } = payload as { repositoryId?: unknown }
      if (typeof repositoryId !== 'number') throw new Permanent('The job names no repository.')
      await db.transaction(systemActor(deploymentId, key), (tx) => rematch(tx, repositoryId))
    },
  }

  async function rematch(tx: Transaction, repositoryId: number): Promise<void> {
    const ref = await lockInventory(tx, repositoryId)
    if (ref === undefined) return
    const hits = await hitsInInventory(tx, repositoryId)
    const observed = await toObservations(tx, hits, () => waysInInventory(tx, repositoryId, hits))
    const place = { repositoryId, ref, pullRequest: 0, source }
    const seen = new Set(observed.map((one) => one.fingerprint))
    const gone = (await listStandingFindings(tx, place)).filter((one) => !seen.has(one.fingerprint))
    const whyFixed = await reasonsGone(tx, gone)
    await reconcile(tx, { ...place, scanId: 0, complete: true, observed, whyFixed })
  }
}

/** The ref that the inventory is of, held until the transaction ends; undefined where there is none any more. */
async function lockInventory(tx: Transaction, repositoryId: number): Promise<string | undefined> {
  await tx.query(sql`select from repository r where r.deployment_id = ${tx.deploymentId} and r.id = ${repositoryId}
    for no key update of r`)
  // A statement of its own: it sees what was committed while the other one waited.
  const [row] = await tx.query<{ ref: string }>(sql`select s.ref from inventory i
    join scan s on s.deployment_id = i.deployment_id and s.id = i.scan_id
    where i.deployment_id = ${tx.deploymentId} and i.repository_id = ${repositoryId}`)
  return row?.ref
}
