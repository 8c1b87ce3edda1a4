import sql, { raw } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { forgetSpans } from '../refusals/rollup/span-store.ts'
import { startOf } from '../reports/split-period.ts'

const dayMs = 86_400_000

/** What is older is kept by the day alone; undefined while nothing is. */
export async function keptByDayBefore(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ mark: Date | null }>(sql`select kept_by_day_before as mark from firewall_deployment
    where deployment_id = ${db.deploymentId}`)
  return row?.mark ?? undefined
}

/** Never back: what is gone is gone. */
export async function keepByDayBefore(tx: Transaction, mark: Date): Promise<void> {
  await tx.query(sql`insert into firewall_deployment as known (deployment_id, kept_by_day_before)
    values (${tx.deploymentId}, ${mark})
    on conflict (deployment_id) do update set kept_by_day_before = excluded.kept_by_day_before
      where known.kept_by_day_before is null or known.kept_by_day_before < excluded.kept_by_day_before`)
}

/** The first hour before a moment of which there is more than the day. Every request is counted in its hour. */
export async function firstDetail(db: Queryable, before: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ start: Date }>(sql`select start from firewall_activity
    where deployment_id = ${db.deploymentId} and grain = 'h' and start < ${before} order by start limit 1`)
  return row?.start
}

/** Leaves of a day what is known about it as a whole: its counters, and of each total the last. */
export async function foldDay(tx: Transaction, day: Date): Promise<void> {
  const next = new Date(day.getTime() + dayMs)
  const { deploymentId } = tx
  await tx.query(
    sql`delete from firewall_second where deployment_id = ${deploymentId} and at >= ${day} and at < ${next}`,
  )
  await tx.query(
    sql`delete from firewall_refusal where deployment_id = ${deploymentId} and at >= ${day} and at < ${next}`,
  )
  await tx.query(sql`delete from firewall_total total using firewall_culprit culprit
    where culprit.deployment_id = ${deploymentId} and culprit.last_hour >= ${day} and culprit.first_hour < ${next}
      and total.deployment_id = ${deploymentId} and total.culprit_id = culprit.id
      and total.hour >= ${day} and total.hour < ${next}
      and exists (select 1 from firewall_total later where later.deployment_id = ${deploymentId}
        and later.culprit_id = total.culprit_id and later.hour > total.hour and later.hour < ${next})`)
  await tx.query(sql`delete from firewall_activity where deployment_id = ${deploymentId} and grain in ('n', 'h')
    and start >= ${day} and start < ${next}`)
}

/**
 * Whom the refusals of a day concerned is forgotten, of the first day before a moment of which it is not yet; that there were any
 * is not forgotten. Answers whether there may be more such days.
 */
export async function forgetRefused(tx: Transaction, before: Date): Promise<boolean> {
  const [first] = await tx.query<{ at: Date }>(sql`select at from firewall_refusal
    where deployment_id = ${tx.deploymentId} and at < ${before} and at >= coalesce((
      select refused_unknown_before from firewall_deployment where deployment_id = ${tx.deploymentId}), '-infinity')
    order by at limit 1`)
  if (!first) return false
  const until = new Date(Math.min(before.getTime(), startOf('d', first.at).getTime() + dayMs))
  await tx.query(sql`update firewall_refusal set person_id = 0, token_id = 0, client = '', address = ''
    where deployment_id = ${tx.deploymentId} and at >= ${first.at} and at < ${until}`)
  await forgetSpans(tx, first.at, until)
  await tx.query(sql`insert into firewall_deployment (deployment_id, refused_unknown_before)
    values (${tx.deploymentId}, ${until})
    on conflict (deployment_id) do update set refused_unknown_before = excluded.refused_unknown_before`)
  return until < before
}

/**
 * Who was last given something before that, unless it turned out to be malicious: so many rows at most. Answers whether there may be
 * more of them.
 */
export async function forgetFetches(tx: Transaction, before: Date, most: number): Promise<boolean> {
  const { deploymentId } = tx
  const gone = await tx.query(sql`delete from firewall_fetch fetched using (
      select old.artifact_id, old.person_id, old.token_id from firewall_fetch old
      where old.deployment_id = ${deploymentId} and old.last_at < ${before}
        and not exists (select 1 from firewall_exposure exposure where exposure.deployment_id = ${deploymentId}
          and exposure.artifact_id = old.artifact_id and exposure.person_id = old.person_id and exposure.token_id = old.token_id)
      limit ${raw(String(most))}) due
    where fetched.deployment_id = ${deploymentId} and fetched.last_at < ${before} and fetched.artifact_id = due.artifact_id
      and fetched.person_id = due.person_id and fetched.token_id = due.token_id
    returning 1`)
  return gone.length === most
}
