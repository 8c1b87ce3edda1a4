import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { countInventories } from './count-store.ts'

const everySeconds = 10
/** Some tenths of a second in one transaction. */
const repositoriesAtOnce = 200

/** Counts the licences of each new inventory once, so that whoever asks for them need not. */
export function createLicenceCounting(db: Database): Periodic {
  async function countAll(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'licence-counts')
    for (let found = false; ; found = true) {
      const counted = await db.transaction(actor, (tx) => countInventories(tx, repositoriesAtOnce))
      if (counted < repositoriesAtOnce) return found || counted > 0
    }
  }

  return { name: 'inventory.licences', everySeconds, run: inEachDeployment(db, countAll) }
}
