import { systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import { eachDeployment } from '../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../kernel/jobs/job.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import * as store from './retention-store.ts'

/** Whoever looks at a run of the last weeks finds its scans. */
export const fewestScanDays = 31

const everySeconds = 86_400
const dayMs = 86_400_000
/** Scans that are looked at in one transaction. */
const batch = 1_000

/** Removes scans that are older than this many days and that later ones replaced; undefined: none. */
export function createScanRetention(given: { db: Database; clock: Clock; days: number | undefined }): Periodic {
  const { db, clock, days } = given

  async function removeFrom(deploymentId: number, before: Date): Promise<void> {
    const actor = systemActor(deploymentId, 'scan-retention')
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after
      after = await db.transaction(actor, (tx) => store.removeReplaced(tx, { after: from, before, limit: batch }))
    }
  }

  return {
    name: 'scans.retention',
    everySeconds,
    run: async () => {
      if (days === undefined) return
      const before = new Date(clock.now().getTime() - days * dayMs)
      await eachDeployment(db, (id) => removeFrom(id, before))
    },
  }
}
