import sql, { raw, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { everyBlock, segmentBlocks } from './bit-slices.ts'

/** A block and its signature: four bytes of length, then the bits. */
export type SignedBlock = { last: number; signature: Buffer }

/** Blocks (`b`) of which slices do not tell, as the index has it. */
export const isLone = sql`(b.segment is null or b.signature is null)`

const slice = raw(`bit(${segmentBlocks})`)

export async function countLone(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from finding_block b
    where b.deployment_id = ${db.deploymentId} and ${isLone}`)
  return row!.count
}

/** The next ones that are signed. Nobody signs them otherwise before the transaction ends. */
export function lockLone(tx: Transaction, after: number, limit: number): Promise<SignedBlock[]> {
  return tx.query(sql`select b.last_id as last, bit_send(b.signature) as signature from finding_block b
    where b.deployment_id = ${tx.deploymentId} and ${isLone} and b.part_bits is not null and b.signature is not null and b.last_id > ${after}
    order by b.last_id limit ${limit} for update`)
}

export async function nextSegment(db: Queryable): Promise<number> {
  const [row] = await db.query<{ next: number }>(sql`select coalesce(max(s.segment), 0) + 1 as next from finding_slice s
    where ${isOfAll(db.deploymentId)}`)
  return row!.next
}

export async function insertSlices(
  tx: Transaction,
  segment: number,
  slices: readonly { bit: number; blocks: string }[],
): Promise<void> {
  await tx.query(sql`insert into finding_slice (deployment_id, segment, bit, blocks)
    select ${tx.deploymentId}::bigint, ${segment}::integer, t.bit, t.blocks::${slice}
    from unnest(${slices.map(({ bit }) => bit)}::smallint[], ${slices.map(({ blocks }) => blocks)}::text[]) as t (bit, blocks)
    ${rowsNotCopied}`)
}

/** In this order. */
export async function joinSegment(tx: Transaction, segment: number, last: readonly number[]): Promise<void> {
  await tx.query(sql`update finding_block b set segment = ${segment}, place = t.nth - 1
    from unnest(${last}::bigint[]) with ordinality as t (last_id, nth)
    where b.deployment_id = ${tx.deploymentId} and b.last_id = t.last_id`)
}

/** Those that have fewer blocks than this. */
export async function listDeserted(db: Queryable, fewest: number): Promise<number[]> {
  const rows = await db.query<{ segment: number }>(sql`select s.segment from finding_slice s
    where ${isOfAll(db.deploymentId)} and ${fewest} > (select count(*) from finding_block b
      where b.deployment_id = ${db.deploymentId} and b.segment = s.segment)`)
  return rows.map(({ segment }) => segment)
}

/** Its blocks are lone again; they keep their signatures. */
export async function dissolve(tx: Transaction, segments: readonly number[]): Promise<void> {
  await tx.query(sql`delete from finding_slice s
    where s.deployment_id = ${tx.deploymentId} and s.segment = any(${segments}::integer[])`)
  await tx.query(sql`update finding_block b set segment = null, place = null
    where b.deployment_id = ${tx.deploymentId} and b.segment = any(${segments}::integer[])`)
}

function isOfAll(deploymentId: number): Sql {
  return sql`s.deployment_id = ${deploymentId} and s.bit = ${everyBlock}`
}
