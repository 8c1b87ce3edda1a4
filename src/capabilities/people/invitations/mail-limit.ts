import sql from 'sql-template-tag'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'

const mostPerHour = 100
const hourMs = 3_600_000

/**
 * Counts a mail that the transaction sends, and refuses it beyond what a deployment may mail in an hour. At its end: invitations
 * of a deployment then wait for each other's count, and for nothing else of each other.
 */
export function countMail(tx: Transaction, clock: Clock): void {
  tx.atEnd(async () => {
    const now = clock.now()
    const since = new Date(now.getTime() - hourMs)
    const counted = await tx.query(sql`insert into invitation_mail as known (deployment_id, mailed_at)
      values (${tx.deploymentId}, array[${now}::timestamptz])
      on conflict (deployment_id) do update
        set mailed_at = array(select at from unnest(known.mailed_at) at where at > ${since}) || excluded.mailed_at
        where (select count(*) from unnest(known.mailed_at) at where at > ${since}) < ${mostPerHour}
      returning 1`)
    if (counted.length === 0) throw await tooMany(tx, now, since)
  })
}

/** With when the oldest mail of the hour does not count any more. */
async function tooMany(tx: Transaction, now: Date, since: Date): Promise<Fault> {
  const [row] = await tx.query<{ oldest: Date | null }>(sql`select min(at) as oldest
    from invitation_mail, unnest(mailed_at) at where deployment_id = ${tx.deploymentId} and at > ${since}`)
  const waitMs = (row?.oldest ?? since).getTime() + hourMs - now.getTime()
  const message = `${mostPerHour} invitations were mailed within the last hour, and more are not.`
  return new Fault('too_many_requests', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
}
