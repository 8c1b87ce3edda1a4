import sql from 'sql-template-tag'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { countDays, listDue, takeDue } from './day-recount.ts'

const everySeconds = 10
const repositoriesAtOnce = 1_000

/** Counts the days of repositories that are due: after the upgrade that brought them, and what a process of the release before changed. */
export function createDayCounting(db: Database): Periodic {
  async function countAll(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'findings-days')
    for (let found = false; ; found = true) {
      const due = await listDue(db.as(actor), repositoriesAtOnce)
      if (due.length === 0) return found
      for (const repositoryId of due) {
        await db.transaction(actor, async (tx) => {
          // Every finding of the repository and its history, ten seconds for a million.
          await tx.query(sql`set local statement_timeout = '10min'`)
          await takeDue(tx, repositoryId)
          await countDays(tx, repositoryId)
        })
      }
    }
  }

  return { name: 'findings.days', everySeconds, run: inEachDeployment(db, countAll) }
}
