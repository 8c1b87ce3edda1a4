import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import { bitsWanted, maskOf, signatureBits, type WantedWords, type Words } from './signature.ts'

/** Ids of findings, both ends included. */
export type Range = { first: number; last: number }

const beyondAll = Number.MAX_SAFE_INTEGER

/**
 * Where the findings are that may have the words wanted; undefined where signatures do not tell, or where that would be more
 * than this share of them.
 */
export async function narrowed(
  db: Queryable,
  wanted: WantedWords,
  most: { share: number; atLeast: number },
): Promise<Range[] | undefined> {
  const bits = bitsWanted(wanted)
  if (!bits) return undefined
  const type = raw(`bit(${signatureBits})`)
  const hasAll = sql`(b.signature & ${maskOf(bits.all)}::${type}) = ${maskOf(bits.all)}::${type}`
  const hasOneOf = (choices: readonly number[]) =>
    sql`(b.signature & ${maskOf(choices)}::${type}) <> ${maskOf([])}::${type}`
  const signed = join([hasAll, ...bits.any.map(hasOneOf)], ' and ')
  // No further than to see that there are too many: of a frequent word that is a part of them.
  const [row] = await db.query<Narrowed>(sql`with size as materialized (
      select count(*) as total, coalesce(max(b.last_id), 0) as covered from finding_block b
      where b.deployment_id = ${db.deploymentId})
    select size.total, size.covered,
      coalesce((select jsonb_agg(jsonb_build_array(hit.first_id, hit.last_id)) from (
        select b.first_id, b.last_id from finding_block b
        where b.deployment_id = ${db.deploymentId} and (b.signature is null or ${signed})
        limit (select floor(greatest(${most.atLeast}::float8, ${most.share}::float8 * size.total))::bigint + 1 from size)) hit),
        '[]') as blocks,
      coalesce((select jsonb_agg(distinct u.finding_id) from finding_unsigned u
        where u.deployment_id = ${db.deploymentId}), '[]') as unsigned
    from size`)
  const { blocks, total, covered, unsigned } = row!
  if (blocks.length > Math.max(most.atLeast, most.share * total)) return undefined
  return merged([
    ...blocks.map(([first, last]) => ({ first, last })),
    ...unsigned.map((id) => ({ first: id, last: id })),
    { first: covered + 1, last: beyondAll },
  ])
}

type Narrowed = { blocks: [first: number, last: number][]; total: number; covered: number; unsigned: number[] }

/** Without overlaps, so that no finding is met twice. */
function merged(ranges: readonly Range[]): Range[] {
  const whole: Range[] = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = whole.at(-1)
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last)
    else whole.push({ first, last })
  }
  return whole
}

/** The findings with these ids, as a table; range by range, whatever else is asked of them or of their order. */
export function findingsIn(deploymentId: number, ranges: readonly Range[]): Sql {
  return sql`(select inside.* from unnest(${ranges.map(({ first }) => first)}::bigint[],
      ${ranges.map(({ last }) => last)}::bigint[]) as range (first, last)
    cross join lateral (select i.* from finding i where i.deployment_id = ${deploymentId}
      and i.id between range.first and range.last offset 0) inside offset 0)`
}

export function listDeployments(db: WorkerQueryable): Promise<{ id: number }[]> {
  return db.query(sql`select id from deployment order by id`)
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

/** Blocks without signatures. Whoever was numbered before them and is not committed yet runs before their horizon. */
export async function insertBlocks(tx: Transaction, ranges: readonly Range[]): Promise<void> {
  await tx.query(sql`insert into finding_block (deployment_id, first_id, last_id, horizon)
    select ${tx.deploymentId}::bigint, first, last, pg_snapshot_xmax(pg_current_snapshot())::text::bigint
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

/** Blocks that nobody can add to any more and that have no signature yet. */
export function listUnsigned(db: Queryable, limit: number): Promise<Range[]> {
  return db.query(sql`select b.first_id as first, b.last_id as last from finding_block b
    where b.deployment_id = ${db.deploymentId} and b.signature is null
      and b.horizon <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    order by b.last_id limit ${limit}`)
}

export function listWords(db: Queryable, { first, last }: Range): Promise<(Words & { id: number })[]> {
  return db.query(sql`select f.id, f.path, f.title, f.message, f.cwes, f.vulnerability_ids as "vulnerabilityIds"
    from finding f where f.deployment_id = ${db.deploymentId} and f.id between ${first} and ${last} order by f.id`)
}

export async function sign(tx: Transaction, last: readonly number[], signatures: readonly string[]): Promise<void> {
  await tx.query(sql`update finding_block b set signature = t.signature::bit(${raw(String(signatureBits))})
    from unnest(${last}::bigint[], ${signatures}::text[]) as t (last_id, signature)
    where b.deployment_id = ${tx.deploymentId} and b.last_id = t.last_id`)
}
