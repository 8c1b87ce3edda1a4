import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'

/** How far the primary's log reaches, and on which of its timelines. */
export type Position = { lsn: number; timeline: string }

/** A mark that was written to the primary, and the timeline that has it. */
export type Proof = { id: string; timeline: string }

type Ask = <Row>(statement: Sql) => Promise<Row[]>

const timeline = sql`left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline`
const proofsKeptFor = '1 hour'

/**
 * Covers every commit that was acknowledged before it is asked for. What is acknowledged is on disk, and what is not goes to no
 * replica; unless PostgreSQL was told to acknowledge sooner.
 */
export async function positionOf(ask: Ask): Promise<Position> {
  const [row] = await ask<Position>(sql`select ${timeline}, (case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0'::pg_lsn)::bigint as lsn`)
  return row!
}

/** Of a name that nobody can have by chance: who shows it has it from this primary. */
export async function writeProof(ask: Ask): Promise<Proof> {
  const [row] = await ask<Proof>(sql`with old as (
      delete from replica_proof where made_at < now() - ${proofsKeptFor}::interval)
    insert into replica_proof (id) values (${randomUUID()}) returning id, ${timeline}`)
  return row!
}
