import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

/** From now on a deployment, and not the holder of the address, has decided how one signs in. */
export async function markUnclaimed(db: IdentityQueryable, personId: number, now: Date): Promise<void> {
  await db.query(sql`update person set unclaimed_since = coalesce(unclaimed_since, ${now}), claimed_at = null
    where id = ${personId}`)
}

/**
 * The holder of the address has shown that it is theirs. Answers since when somebody else decided how one signs in, if anybody did.
 * The caller holds the row.
 */
export async function claim(db: IdentityQueryable, personId: number, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ unclaimed_since: Date | null }>(
    sql`select unclaimed_since from person where id = ${personId}`,
  )
  if (!row?.unclaimed_since) return undefined
  await db.query(sql`update person set unclaimed_since = null, claimed_at = ${now} where id = ${personId}`)
  return row.unclaimed_since
}

type Identities = { query: IdentityQueryable['query'] }

export async function isClaimed(db: Identities, personId: number): Promise<boolean> {
  const rows = await db.query(sql`select id from person where id = ${personId} and claimed_at is not null`)
  return rows.length > 0
}
