import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { eachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { takeSnapshots } from './snapshot-store.ts'

const everySeconds = 3_600
const atOnce = 20

/**
 * Remembers what inventories had a week ago and before, so that an advisory about what has been in use for long can be told
 * from one about what came in yesterday. Uploads do not wait for it.
 */
export function inventorySnapshots({ db, clock }: { db: Database; clock: Clock }): Periodic {
  return {
    name: 'firewall.snapshots',
    everySeconds,
    run: () =>
      eachDeployment(db, async (id) => {
        const actor = systemActor(id, 'inventory-snapshots')
        while ((await db.transaction(actor, (tx) => takeSnapshots(tx, clock.now(), atOnce))) === atOnce);
      }),
  }
}
