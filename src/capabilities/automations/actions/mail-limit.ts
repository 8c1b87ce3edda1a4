import sql from 'sql-template-tag'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { Postponed } from '../../../kernel/jobs/job.ts'

/** Counts the mails of a deployment by the hour. Beyond the limit they wait for the next one. */
export function createMailLimit(db: Database, perHour: number) {
  return async function take(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'mail-limit')
    const wait = await db.transaction(actor, async (tx) => {
      await tx.query(sql`delete from mail_hour
        where deployment_id = ${deploymentId} and hour < date_trunc('hour', now()) - interval '1 day'`)
      const taken = await tx.query(sql`insert into mail_hour as known (deployment_id, hour, mails)
        values (${deploymentId}, date_trunc('hour', now()), 1)
        on conflict (deployment_id, hour) do update set mails = known.mails + 1 where known.mails < ${perHour}
        returning 1`)
      if (taken.length > 0) return 0
      const [row] = await tx.query<{ seconds: number }>(
        sql`select ceil(extract(epoch from date_trunc('hour', now()) + interval '1 hour' - now()))::int as seconds`,
      )
      return row!.seconds
    })
    if (wait > 0) throw new Postponed(`The deployment has sent its ${perHour} mails of this hour.`, wait)
  }
}
