import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { countInventories, listDeployments } from './count-store.ts'

const everySeconds = 10
/** Some tenths of a second in one transaction. */
const repositoriesAtOnce = 200

/** Counts the licences of each new inventory once, so that whoever asks for them need not. */
export function createLicenceCounting(db: Database): Periodic {
  async function run(): Promise<void> {
    for (const { id } of await listDeployments({ query: db.workerQuery })) await countAll(id)
  }

  async function countAll(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'licence-counts')
    for (;;) {
      const counted = await db.transaction(actor, (tx) => countInventories(tx, repositoriesAtOnce))
      if (counted < repositoriesAtOnce) return
    }
  }

  return { name: 'inventory.licences', everySeconds, run }
}
