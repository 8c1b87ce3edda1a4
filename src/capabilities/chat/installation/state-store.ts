import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'

export async function insert(tx: Transaction, hash: Buffer, expiresAt: Date): Promise<void> {
  await tx.query(sql`insert into chat_oauth_state (deployment_id, state_hash, person_id, expires_at)
    values (${tx.deploymentId}, ${hash}, ${tx.actor.personId}, ${expiresAt})`)
}

/** When it would have ended, of one that belongs to this person and is there no more from now on. Only one taker gets it. */
export async function take(tx: Transaction, hash: Buffer): Promise<Date | undefined> {
  const [row] = await tx.query<{ expires_at: Date }>(sql`delete from chat_oauth_state
    where deployment_id = ${tx.deploymentId} and state_hash = ${hash} and person_id = ${tx.actor.personId}
    returning expires_at`)
  return row?.expires_at
}

/** Those that have ended, and all but the newest of this person. */
export async function forget(tx: Transaction, now: Date, keep: number): Promise<void> {
  await tx.query(sql`delete from chat_oauth_state where deployment_id = ${tx.deploymentId} and (expires_at <= ${now}
    or person_id = ${tx.actor.personId} and state_hash not in (select state_hash from chat_oauth_state
      where deployment_id = ${tx.deploymentId} and person_id = ${tx.actor.personId}
      order by expires_at desc limit ${keep}))`)
}
