import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

type Identities = { query: IdentityQueryable['query'] }

/** In the place of all earlier ones. */
export async function replace(db: IdentityQueryable, personId: number, hashes: Buffer[], at: Date): Promise<void> {
  await remove(db, personId)
  await db.query(sql`insert into recovery_code (person_id, hash, created_at)
    select ${personId}, hash, ${at} from unnest(${hashes}::bytea[]) as hash`)
}

export async function remove(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`delete from recovery_code where person_id = ${personId}`)
}

export async function exists(db: Identities, personId: number, hash: Buffer): Promise<boolean> {
  const rows = await db.query(sql`select 1 from recovery_code where person_id = ${personId} and hash = ${hash}`)
  return rows.length > 0
}

/** False where it was used before. */
export async function spend(db: IdentityQueryable, personId: number, hash: Buffer): Promise<boolean> {
  const rows = await db.query(sql`delete from recovery_code
    where person_id = ${personId} and hash = ${hash} returning 1`)
  return rows.length > 0
}

export async function removeSince(db: IdentityQueryable, personId: number, since: Date): Promise<void> {
  await db.query(sql`delete from recovery_code where person_id = ${personId} and created_at >= ${since}`)
}

export async function count(db: Identities, personId: number): Promise<{ left: number; created_at: Date | null }> {
  const [row] = await db.query<{ left: number; created_at: Date | null }>(sql`select count(*) as left,
    max(created_at) as created_at from recovery_code where person_id = ${personId}`)
  return row!
}
