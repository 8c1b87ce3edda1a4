import sql from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'

const seconds = 60

/** With those that were never fetched and are over by now taken away. */
export async function insertTicket(tx: Transaction, hash: Buffer, request: object): Promise<Date> {
  await tx.query(sql`delete from export_ticket where deployment_id = ${tx.deploymentId} and expires_at < now()`)
  const [row] = await tx.query<{ expires_at: Date }>(sql`insert into export_ticket
      (deployment_id, ticket_hash, person_id, request, expires_at)
    values (${tx.deploymentId}, ${hash}, ${tx.actor.personId}, ${JSON.stringify(request)}::jsonb,
      now() + make_interval(secs => ${seconds}))
    returning expires_at`)
  return row!.expires_at
}

/** What it was made for, once and for whoever made it. */
export async function takeTicket<Request>(tx: Transaction, hash: Buffer): Promise<Request | undefined> {
  const [row] = await tx.query<{ request: Request }>(sql`delete from export_ticket
    where deployment_id = ${tx.deploymentId} and ticket_hash = ${hash} and person_id = ${tx.actor.personId}
      and expires_at > now() returning request`)
  return row?.request
}
