import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import type { Ids, Way } from './parts.ts'
import type { Signed } from './spans.ts'

/** Findings to be read from an index. */
export type Selection = {
  repositories: Ids | undefined
  rules: Ids | undefined
  categories: readonly number[] | undefined
  by: Way
}

type Axis = 'repositories' | 'rules'

/**
 * The ids as a query. All others are told by this very statement, so that none that was just added slips in. A query and
 * not an array, because PostgreSQL hashes the former once and searches the latter from the front for every row.
 */
function idRows(deploymentId: number, axis: Axis, { ids, among }: Ids): Sql {
  const given = sql`select given.id from unnest(${ids}::bigint[]) as given (id)`
  if (among) return given
  const table = axis === 'repositories' ? sql`repository` : sql`finding_rule`
  return sql`select other.id from ${table} other
    where other.deployment_id = ${deploymentId} and (other.id in (${given})) is not true`
}

/** More would take longer to send than they save. */
const mostBits = 1 << 17

/**
 * Whether a finding's repository or rule is among many. A bit for each id is looked up several times faster than a hash, but
 * only ids that are close together have one. Findings of others are told apart by not being among them.
 */
function isOneOf(deploymentId: number, axis: Axis, { ids, among }: Ids): Sql {
  const id = axis === 'repositories' ? sql`f.repository_id` : sql`f.rule_id`
  const first = ids.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
  const last = ids.reduce((most, one) => Math.max(most, one), 0)
  if (ids.length === 0 || last - first >= mostBits) {
    // 'is true' keeps the planner from another way into the findings.
    return sql`(${id} in (${idRows(deploymentId, axis, { ids, among })})) is true`
  }
  const bits = Buffer.alloc(((last - first) >> 3) + 1)
  for (const one of ids) bits[(one - first) >> 3]! |= 1 << ((one - first) & 7)
  const bit = sql`get_bit(${`\\x${bits.toString('hex')}`}::bytea, ${id} - ${first}::bigint)`
  return sql`case when ${id} between ${first}::bigint and ${last}::bigint then ${bit} = ${among ? 1 : 0}::integer
    else ${!among}::boolean end`
}

/** The same as an array, for an index to go along. */
export function idArray(deploymentId: number, axis: Axis, ids: Ids): Sql {
  return ids.among ? sql`${ids.ids}::bigint[]` : sql`array(${idRows(deploymentId, axis, ids)})`
}

/**
 * `columns` of the findings (`f`) in some periods, along the index that was chosen. `within` follows the conditions: an
 * order and a limit, for each repository or rule where it goes along those.
 */
export function selectFindings(
  deploymentId: number,
  { repositories, rules, categories, by }: Selection,
  periods: readonly (Period & Partial<Signed>)[],
  columns: Sql,
  { conditions = empty, within = empty }: { conditions?: Sql; within?: Sql } = {},
): Sql {
  const filters = [
    repositories && by !== 'repository' && isOneOf(deploymentId, 'repositories', repositories),
    rules && by !== 'rule' && isOneOf(deploymentId, 'rules', rules),
    categories && sql`(f.category = any(${categories}::smallint[])) is true`,
  ].filter((filter) => filter instanceof Object)
  const span = sql`unnest(${periods.map((each) => each.since)}::timestamptz[],
    ${periods.map((each) => each.until)}::timestamptz[], ${periods.map((each) => each.sign ?? 1)}::integer[])
    as span (since, until, sign)`
  const filtered = filters.length === 0 ? empty : sql`and ${join(filters, ' and ')}`
  const read = (key: Sql) => sql`select ${columns} from finding f where f.deployment_id = ${deploymentId} ${key}
    and f.raised_at >= span.since and f.raised_at < span.until ${filtered} ${conditions} ${within}`
  if (by === 'time') return sql`select f.* from ${span} cross join lateral (${read(empty)} offset 0) f`
  const ids =
    by === 'repository' ? idRows(deploymentId, 'repositories', repositories!) : idRows(deploymentId, 'rules', rules!)
  const key = by === 'repository' ? sql`and f.repository_id = one.id` : sql`and f.rule_id = one.id`
  return sql`select f.* from ${span} cross join (${ids}) one cross join lateral (${read(key)} offset 0) f`
}
