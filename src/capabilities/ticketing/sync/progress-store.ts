import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { TrackerIssue } from '../tracker/tracker.ts'

/** What happens to a ticket in the background. */
export async function markAttempted(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update ticket set attempted_at = ${at}, state = 'creating', detail = '', version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** It certainly was not made: nobody has to look for it. */
export async function markUnmade(
  tx: Transaction,
  id: number,
  { isFinal, detail }: { isFinal: boolean; detail: string },
): Promise<void> {
  await tx.query(sql`update ticket set state = ${isFinal ? 'failed' : 'creating'}, attempted_at = null,
      detail = ${detail}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and state <> 'ready'`)
}

export async function noteDetail(tx: Transaction, id: number, detail: string): Promise<void> {
  await tx.query(sql`update ticket set detail = ${detail}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and state = 'creating' and detail <> ${detail}`)
}

export async function markReady(tx: Transaction, id: number, issue: TrackerIssue, now: Date): Promise<void> {
  const { name, isDone } = issue.status
  await tx.query(sql`update ticket set state = 'ready', detail = '', tracker_id = ${issue.id}, key = ${issue.key},
      summary = ${issue.summary}, status_name = ${name}, is_closed = ${isDone}, closed_at = ${isDone ? now : null},
      status_seen_at = ${now}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Those that have changed. */
export async function markSeen(tx: Transaction, instanceId: number, seen: readonly TrackerIssue[], now: Date) {
  const statuses = seen.map(({ status }) => status)
  return tx.query<{ id: number; key: string; isClosed: boolean }>(sql`update ticket t set status_name = n.name,
      is_closed = n.done, closed_at = case when n.done then coalesce(t.closed_at, ${now}) end, key = n.key,
      summary = n.summary, status_seen_at = ${now}, version = t.version + 1
    from unnest(${seen.map(({ id }) => id)}::text[], ${seen.map(({ key }) => key)}::text[],
        ${seen.map(({ summary }) => summary)}::text[], ${statuses.map(({ name }) => name)}::text[],
        ${statuses.map(({ isDone }) => isDone)}::boolean[]) as n (tracker_id, key, summary, name, done)
    where t.deployment_id = ${tx.deploymentId} and t.instance_id = ${instanceId} and t.tracker_id = n.tracker_id
      and (t.status_name, t.is_closed, t.key, t.summary) is distinct from (n.name, n.done, n.key, n.summary)
    returning t.id, t.key, t.is_closed as "isClosed"`)
}

export async function markTransition(
  tx: Transaction,
  id: number,
  { outcome, detail }: { outcome: 'none' | 'fired' | 'failed'; detail: string },
): Promise<void> {
  await tx.query(sql`update ticket set transition = ${outcome}, transition_detail = ${detail}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and transition = 'due'`)
}

/** What waits for the tracker to let us in again. */
export async function unfinished(tx: Transaction, instanceId: number) {
  return tx.query<{ id: number; isCreating: boolean }>(sql`select id, state = 'creating' as "isCreating" from ticket
    where deployment_id = ${tx.deploymentId} and instance_id = ${instanceId}
      and (state = 'creating' or transition = 'due') order by id`)
}
