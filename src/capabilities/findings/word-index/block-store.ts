import sql, { raw, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { blockParts, partBits, type Range, type Signatures, signatureBits, type Words } from './signature.ts'

/**
 * The horizon of a block that was signed. A process of the release before, to which no transaction is as late, never signs it again:
 * it would leave the former signatures of its parts.
 */
const passed = raw('9223372036854775807')

/** The findings with these ids, as a table; range by range, whatever else is asked of them or of their order. */
export function findingsIn(deploymentId: number, ranges: readonly Range[]): Sql {
  return sql`(select inside.* from unnest(${ranges.map(({ first }) => first)}::bigint[],
      ${ranges.map(({ last }) => last)}::bigint[]) as range (first, last)
    cross join lateral (select i.* from finding i where i.deployment_id = ${deploymentId}
      and i.id between range.first and range.last offset 0) inside offset 0)`
}

/** The next findings that no block has. */
export async function listUncovered(db: Queryable, covered: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select f.id from finding f
    where f.deployment_id = ${db.deploymentId} and f.id > ${covered} order by f.id limit ${limit}`)
  return rows.map((row) => row.id)
}

export async function lastCovered(db: Queryable): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select coalesce(max(last_id), 0) as id from finding_block
    where deployment_id = ${db.deploymentId}`)
  return row!.id
}

/**
 * Blocks without signatures. Whoever was numbered before them and is not committed yet runs before their horizon, which is read with
 * the rows of the deployment: other nodes of a distributed database count transactions by themselves.
 */
export async function insertBlocks(tx: Transaction, ranges: readonly Range[]): Promise<void> {
  const [read] = await tx.query<{ horizon: string }>(sql`select pg_snapshot_xmax(pg_current_snapshot())::text as horizon
    from finding where deployment_id = ${tx.deploymentId} limit 1`)
  await tx.query(sql`insert into finding_block (deployment_id, first_id, last_id, horizon)
    select ${tx.deploymentId}::bigint, first, last, ${read!.horizon}::bigint
    from unnest(${ranges.map(({ first }) => first)}::bigint[], ${ranges.map(({ last }) => last)}::bigint[]) as t (first, last)
    on conflict do nothing`)
}

/** Takes the signatures from blocks of which findings say something else by now. Answers how many findings there were. */
export async function dropSignatures(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query(sql`with taken as (
      delete from finding_unsigned u where u.deployment_id = ${tx.deploymentId} and u.finding_id = any(array(
        select finding_id from finding_unsigned where deployment_id = ${tx.deploymentId} order by finding_id limit ${limit}))
      returning u.finding_id
    ), dropped as (
      update finding_block b set signature = null from (
        select distinct block.last_id from taken cross join lateral (
          select last_id from finding_block where deployment_id = ${tx.deploymentId} and last_id >= taken.finding_id
          order by last_id limit 1) block) stale
      where b.deployment_id = ${tx.deploymentId} and b.last_id = stale.last_id
    ) select from taken`)
  return rows.length
}

/**
 * Blocks that nobody can add to any more and that have no signature yet, or none of their parts; the latest first. A horizon that is
 * still to come is of another server, which counted its transactions by itself: they have ended with it, or with the move from there.
 */
export function listUnsigned(db: Queryable, limit: number): Promise<Range[]> {
  return db.query(sql`select b.first_id as first, b.last_id as last from finding_block b
    where b.deployment_id = ${db.deploymentId} and (b.signature is null or b.part_bits is null)
      and (b.horizon <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        or b.horizon > pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
    order by b.last_id desc limit ${limit}`)
}

export function listWords(db: Queryable, { first, last }: Range): Promise<(Words & { id: number })[]> {
  return db.query(sql`select f.id, f.path, f.title, f.message, f.cwes, f.vulnerability_ids as "vulnerabilityIds"
    from finding f where f.deployment_id = ${db.deploymentId} and f.id between ${first} and ${last} order by f.id`)
}

/** Whoever signs a block takes it out of its segment, whose slices have its former bits. */
export async function sign(
  tx: Transaction,
  blocks: readonly Range[],
  signatures: readonly Signatures[],
): Promise<void> {
  const [ofBlock, ofParts] = [signatureBits, blockParts * partBits].map((bits) => raw(`bit(${bits})`))
  await tx.query(sql`update finding_block b set signature = t.signature::${ofBlock}, part_bits = t.parts::${ofParts}, segment = null,
      place = null, horizon = ${passed}
    from unnest(${blocks.map(({ last }) => last)}::bigint[], ${signatures.map(({ signature }) => signature)}::text[],
      ${signatures.map(({ parts }) => parts)}::text[]) as t (last_id, signature, parts)
    where b.deployment_id = ${tx.deploymentId} and b.last_id = t.last_id`)
}
