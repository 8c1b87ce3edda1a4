import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { countUse, hasUncounted } from './use-store.ts'

const everySeconds = 10
/** About a second in one transaction, where all of them are new. */
const repositoriesAtOnce = 200

/** Counts which packages each new inventory has, once, so that whoever sorts packages by their use need not. */
export function createUseCounting(db: Database): Periodic {
  async function countAll(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'package-use')
    if (!(await hasUncounted(db.as(actor)))) return false
    for (;;) {
      const counted = await db.transaction(actor, (tx) => countUse(tx, repositoriesAtOnce))
      if (counted < repositoriesAtOnce) return true
    }
  }

  return { name: 'inventory.use', everySeconds, run: inEachDeployment(db, countAll) }
}
