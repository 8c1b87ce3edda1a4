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
    const mailed = (await lockMailed(tx)).filter((at) => at > since)
    if (mailed.length >= mostPerHour) throw tooMany(now, mailed)
    await tx.query(sql`update invitation_mail set mailed_at = ${[...mailed, now]}::timestamptz[]
      where deployment_id = ${tx.deploymentId}`)
  })
}

async function lockMailed(tx: Transaction): Promise<Date[]> {
  await tx.query(sql`insert into invitation_mail (deployment_id, mailed_at) values (${tx.deploymentId}, '{}')
    on conflict do nothing`)
  const [row] = await tx.query<{ mailed_at: Date[] }>(sql`select mailed_at from invitation_mail
    where deployment_id = ${tx.deploymentId} for update`)
  return row!.mailed_at
}

/** With when the oldest mail of the hour does not count any more. */
function tooMany(now: Date, mailed: readonly Date[]): Fault {
  const oldestMs = Math.min(...mailed.map((at) => at.getTime()))
  const waitMs = oldestMs + hourMs - now.getTime()
  const message = `${mostPerHour} invitations were mailed within the last hour, and more are not.`
  return new Fault('too_many_requests', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) })
}
