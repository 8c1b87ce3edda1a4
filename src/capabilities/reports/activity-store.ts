import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../kernel/database/database.ts'
import type { Period } from '../../kernel/time/time-buckets.ts'
import { countedStateNames, productNames } from './counting/cell.ts'
import { bucketOf, counted, type Figures, quoted } from './counting/count-store.ts'
import { daysByBucket, readDays } from './counting/day-store.ts'
import { funnelFigures, guardrailsFigures } from './counting/figures.ts'
import { type CountedSet, type Part, wayAmong } from './counting/parts.ts'
import { selectFindings } from './counting/selection.ts'
import { cutIntoSpans, type Signed } from './counting/spans.ts'
import { among } from './lists/list-store.ts'

export type HappenedRow = {
  bucket: number
  fixed: number
  reopened: number
  ignored: number
  provisionallyIgnored: number
}

export type ActivityRow = HappenedRow & { opened: number }

const dayColumns = ['opened', 'fixings', 'reopened', 'ignored', 'provisional']
const sumsOfDays = dayColumns.map((name) => sql`sum(part.${quoted(name)})::bigint as ${quoted(name)}`)

/** Everything by the counters of days, and by findings and their history at the ragged ends; undefined while there are none. */
export async function countByDays(
  db: Queryable,
  wanted: CountedSet,
  buckets: readonly Period[],
  once: boolean,
): Promise<ActivityRow[] | undefined> {
  const { spans, ragged } = cutIntoSpans(buckets)
  const parts = [
    ...(spans.length > 0 ? [daysByBucket(db, wanted.repositories, { spans, buckets, columns: dayColumns })] : []),
    ...(ragged.length > 0
      ? [openedAtEnds(db, wanted, buckets, ragged), happenedAtEnds(db, wanted, buckets, ragged)]
      : []),
    ...(once ? [repeated(db, wanted, buckets)] : []),
  ]
  type Row = { bucket: number } & Record<'opened' | 'fixings' | 'reopened' | 'ignored' | 'provisional', number>
  const rows = await readDays<Row>(
    db,
    sql`select part.bucket, ${join(sumsOfDays)} from (${join(parts, ' union all ')})
      part (bucket, ${join(dayColumns.map(quoted))}) group by part.bucket`,
  )
  return rows?.map(({ fixings, provisional, ...row }) => ({
    ...row,
    fixed: fixings,
    provisionallyIgnored: provisional,
  }))
}

function openedAtEnds(db: Queryable, wanted: CountedSet, buckets: readonly Period[], ragged: readonly Signed[]): Sql {
  const selection = { ...among(wanted), categories: undefined, by: wayAmong(wanted, ragged) }
  const columns = sql`${bucketOf(buckets, sql`f.raised_at`)} as bucket, span.sign as opened, 0, 0, 0, 0`
  return selectFindings(db.deploymentId, selection, ragged, columns)
}

function happenedAtEnds(db: Queryable, wanted: CountedSet, buckets: readonly Period[], ragged: readonly Signed[]): Sql {
  return sql`select ${bucketOf(buckets, sql`h.at`)} as bucket, 0, span.sign * (${became(fixed)})::integer,
      span.sign * (${cameBack()})::integer, span.sign * (${became(ignored)})::integer, span.sign * (${became(provisional)})::integer
    from unnest(${ragged.map((each) => each.since)}::timestamptz[], ${ragged.map((each) => each.until)}::timestamptz[],
      ${ragged.map((each) => each.sign)}::integer[]) as span (since, until, sign)
    cross join lateral (select h.at, h.from_state, h.to_state from finding_history h ${ofWanted(db, wanted)}
      where h.deployment_id = ${db.deploymentId} and h.at >= span.since and h.at < span.until offset 0) h`
}

/** What happened to a finding again in the same bucket, taken away. It has been taken back before: it is its third change at the earliest. */
function repeated(db: Queryable, wanted: CountedSet, buckets: readonly Period[]): Sql {
  const { since, until } = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const within = sql`h.deployment_id = ${db.deploymentId} and h.at >= ${since} and h.at < ${until}`
  const again = (condition: Sql) => sql`-greatest(0, count(*) filter (where ${condition}) - 1)`
  return sql`select ${bucketOf(buckets, sql`h.at`)} as bucket, 0, ${again(became(fixed))}, ${again(cameBack())}, ${again(became(ignored))},
      ${again(became(provisional))}
    from (select distinct h.finding_id as id from finding_history h ${ofWanted(db, wanted)} where ${within} and h.seq >= 3) often
    cross join lateral (select h.at, h.from_state, h.to_state from finding_history h
      where h.finding_id = often.id and ${within} offset 0) h
    group by often.id, 1`
}

/** In no counter: settled on a branch, or a second one of its kind. In the words of their index. */
const inNoCounter = sql`and f.cell < 32 and f.cell & 7 = 0`

/**
 * How many findings were raised in each bucket, whatever became of them: what the two reports count, and what neither does. In one
 * statement, because a finding that is settled meanwhile goes from one to the other.
 */
export function countOpened(
  db: Queryable,
  wanted: CountedSet,
  parts: readonly Part[],
  buckets: readonly Period[],
): Promise<{ bucket: number; opened: number }[]> {
  const period = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const selection = { ...among(wanted), categories: wanted.categories, by: wayAmong(wanted, [period]) }
  const bucket = sql`width_bucket(f.raised_at, ${buckets.map(({ since }) => since)}::timestamptz[]) as bucket`
  const others = selectFindings(db.deploymentId, selection, [period], bucket, { conditions: inNoCounter })
  const sumOf = (names: readonly string[], figures: Figures<string>) =>
    sql`select bucket, ${join(names.map(quoted), ' + ')} as opened
      from (${counted(db, parts, wanted.categories, buckets, figures)}) counted`
  return db.query(sql`select bucket, sum(opened)::bigint as opened from (
      ${sumOf(countedStateNames, guardrailsFigures)}
      union all
      ${sumOf(
        productNames.map((product) => `${product} allFindings`),
        funnelFigures,
      )}
      union all
      select bucket, count(*) from (${others}) f group by bucket) part
    group by bucket`)
}

/** What happened to findings in each bucket that something happened in, numbered from 1; `once`: each finding once in each number. */
export function countHappened(
  db: Queryable,
  wanted: CountedSet,
  buckets: readonly Period[],
  once: boolean,
): Promise<HappenedRow[]> {
  const period = { since: buckets[0]!.since, until: buckets.at(-1)!.until }
  const starts = sql`${buckets.map((bucket) => bucket.since)}::timestamptz[]`
  const happened = sql`finding_history h ${ofWanted(db, wanted)}
    where h.deployment_id = ${db.deploymentId} and h.at >= ${period.since} and h.at < ${period.until}`
  return db.query(once ? eachOnce(starts, happened) : everyTime(starts, happened))
}

const became = (state: number) => sql`h.to_state = ${state} and h.from_state <> ${state}`
const cameBack = () => sql`h.from_state = ${fixed} and h.to_state <> ${fixed}`

function everyTime(starts: Sql, happened: Sql): Sql {
  return sql`select width_bucket(h.at, ${starts}) as bucket, count(*) filter (where ${became(fixed)}) as fixed,
      count(*) filter (where ${cameBack()}) as reopened, count(*) filter (where ${became(ignored)}) as ignored,
      count(*) filter (where ${became(provisional)}) as "provisionallyIgnored"
    from ${happened} group by 1`
}

function eachOnce(starts: Sql, happened: Sql): Sql {
  return sql`select bucket, count(*) filter (where was_fixed) as fixed, count(*) filter (where came_back) as reopened,
      count(*) filter (where was_ignored) as ignored, count(*) filter (where was_provisional) as "provisionallyIgnored"
    from (
      select width_bucket(h.at, ${starts}) as bucket, h.finding_id, bool_or(${became(fixed)}) as was_fixed,
        bool_or(${cameBack()}) as came_back, bool_or(${became(ignored)}) as was_ignored,
        bool_or(${became(provisional)}) as was_provisional
      from ${happened} group by 1, 2) one
    group by bucket`
}

const provisional = 5
const ignored = 6
const fixed = 7

/** Looked up for each change: a plan that is kept is made for a deployment of average size, and would read all findings of a large one. */
function ofWanted({ deploymentId }: Queryable, { repositories, rules, categories }: CountedSet): Sql {
  const conditions = [
    repositories &&
      sql`(f.repository_id in (select given.id from unnest(${repositories}::bigint[]) as given (id))) is true`,
    rules && sql`(f.rule_id in (select given.id from unnest(${rules}::bigint[]) as given (id))) is true`,
    categories && sql`f.category = any(${categories}::smallint[])`,
  ].filter((condition) => condition instanceof Object)
  if (conditions.length === 0) return empty
  return sql`cross join lateral (select from finding f
    where f.deployment_id = ${deploymentId} and f.id = h.finding_id and ${join(conditions, ' and ')} offset 0) f`
}
