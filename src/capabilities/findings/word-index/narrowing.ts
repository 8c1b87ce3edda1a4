import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import { everyBlock, partBitsFor, slicesFor } from './bit-slices.ts'
import {
  bitsWanted,
  blockParts,
  maskOf,
  partOf,
  type Range,
  signatureBits,
  type WantedBits,
  type WantedWords,
} from './signature.ts'
import { isLone } from './slice-store.ts'

const beyondAll = Number.MAX_SAFE_INTEGER

/**
 * Where the findings are that may have the words wanted; undefined where signatures do not tell, or where that would be more
 * than this share or number of them.
 */
export async function narrowed(
  db: Queryable,
  wanted: WantedWords,
  most: { share: number; atLeast: number; atMost: number },
): Promise<Range[] | undefined> {
  const bits = bitsWanted(wanted)
  if (!bits) return undefined
  const { ofBlock, partsOf, inSlices } = conditionsFor(bits)
  // No further than to see that there are too many: of a frequent word slices tell it before any block is looked up.
  const [row] = await db.query<Narrowed>(sql`with sliced as materialized (${inSlices(db.deploymentId)}
    ), size as materialized (
      select coalesce((select sum(bit_count(s.blocks)) from finding_slice s
          where s.deployment_id = ${db.deploymentId} and s.bit = ${everyBlock}), 0)
        + (select count(*) from finding_block b where b.deployment_id = ${db.deploymentId} and ${isLone}) as total,
        coalesce((select sum(bit_count(sliced.blocks)) from sliced), 0) as sliced,
        coalesce((select max(b.last_id) from finding_block b where b.deployment_id = ${db.deploymentId}), 0) as covered
    ), most as materialized (
      select size.*, floor(least(${most.atMost}::float8, greatest(${most.atLeast}::float8, ${most.share}::float8 * size.total)))::bigint as blocks
      from size)
    select most.covered, most.sliced > most.blocks or found.number > most.blocks as many, found.blocks,
      coalesce((select jsonb_agg(distinct u.finding_id) from finding_unsigned u
        where u.deployment_id = ${db.deploymentId}), '[]') as unsigned
    from most cross join lateral (
      select count(*) as number, coalesce(string_agg(concat_ws(' ', hit.first_id, hit.last_id, to_hex(hit.parts::bigint)), ',')
        filter (where hit.parts is null or hit.parts::bigint <> 0), '') as blocks
      from (
        select b.first_id, b.last_id, case when b.signature is not null then ${partsOf(sql`b.part_bits`)} end as parts
        from finding_block b
        where b.deployment_id = ${db.deploymentId} and ${isLone} and (b.signature is null or ${ofBlock})
          and most.sliced <= most.blocks
        union all
        select b.first_id, b.last_id, ${partsOf(sql`b.part_bits`)}
        from sliced cross join lateral ${placesIn(sql`sliced.blocks`)} cross join lateral (
          select b.first_id, b.last_id, b.part_bits from finding_block b where b.deployment_id = ${db.deploymentId}
            and b.segment = sliced.segment and b.place = at.place and b.signature is not null offset 0) b
        where most.sliced <= most.blocks
        limit most.blocks + 1) hit) found`)
  const { blocks, many, covered, unsigned } = row!
  if (many) return undefined
  return merged([
    ...(blocks === '' ? [] : blocks.split(',').flatMap(rangesIn)),
    ...unsigned.map((id) => ({ first: id, last: id })),
    { first: covered + 1, last: beyondAll },
  ])
}

/** Whether signatures tell anything of what is wanted. */
export function hasWords(wanted: WantedWords): boolean {
  return bitsWanted(wanted) !== undefined
}

/** `blocks`: the ids of each, both ends, and which of its parts, in hexadecimal digits; of a block without parts all are read. */
type Narrowed = { blocks: string; many: boolean; covered: number; unsigned: number[] }

function rangesIn(written: string): Range[] {
  const [first, last, parts] = written.split(' ')
  const block = { first: Number(first), last: Number(last) }
  if (parts === undefined) return [block]
  const digits = parts.padStart(blockParts / 4, '0')
  const ranges: Range[] = []
  for (let part = 0; part < blockParts; part++) {
    const mark = 8 >> (part & 3)
    if (Number.parseInt(digits[part >> 2]!, 16) & mark) ranges.push(partOf(block, part))
  }
  return ranges
}

type Conditions = {
  /** By its signature, a block (`b`) may have the bits. */
  ofBlock: Sql
  /** Which parts may, by their own signatures. */
  partsOf: (signatures: Sql) => Sql
  /** By the slices, these blocks of each segment may. */
  inSlices: (deploymentId: number) => Sql
}

function conditionsFor(bits: WantedBits): Conditions {
  const { all, any } = slicesFor(bits)
  const isOf = (slices: readonly number[]) => sql`filter (where s.bit = any(${slices}::smallint[]))`
  const blocks = [sql`bit_and(s.blocks) ${isOf(all)}`, ...any.map((choices) => sql`bit_or(s.blocks) ${isOf(choices)}`)]
  return {
    ofBlock: hasBits(bits),
    partsOf: (signatures) => partsWith(signatures, partBitsFor(bits)),
    inSlices: (deploymentId) => sql`select s.segment, ${join(blocks, ' & ')} as blocks from finding_slice s
      where s.deployment_id = ${deploymentId} and s.bit = any(${[...all, ...any.flat()]}::smallint[])
      group by s.segment having count(*) ${isOf(all)} = ${all.length}`,
  }
}

function hasBits({ all, any }: WantedBits): Sql {
  const mask = (bits: readonly number[]) => sql`${maskOf(bits)}::${raw(`bit(${signatureBits})`)}`
  const hasOneOf = (choices: readonly number[]) => sql`(b.signature & ${mask(choices)}) <> ${mask([])}`
  return join([sql`(b.signature & ${mask(all)}) = ${mask(all)}`, ...any.map(hasOneOf)], ' and ')
}

/** One bit for each part. As many bits of `all` as `partBitsFor` gives are written out: a subselect for them takes twice as long. */
function partsWith(signatures: Sql, { all, any }: WantedBits): Sql {
  const having = (bit: Sql) => sql`substring(${signatures} from ${bit} * ${partCount} + 1 for ${partCount})`
  const oneOf = (choices: readonly number[]) =>
    sql`(select bit_or(${having(sql`wanted.bit`)}) from unnest(${choices}::int[]) as wanted (bit))`
  return sql`(${join([...all.map((bit) => having(sql`${bit}::int`)), ...any.map(oneOf)], ' & ')})::bit(${partCount})`
}

const partCount = raw(String(blockParts))

/** The places of the bits that are set, as a table; one more follows them, where no block is. */
function placesIn(blocks: Sql): Sql {
  return sql`(select (sum(length(gap) + 1) over (order by nth) - 1)::smallint as place
    from string_to_table(${blocks}::text, '1') with ordinality as gaps (gap, nth)) at`
}

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
