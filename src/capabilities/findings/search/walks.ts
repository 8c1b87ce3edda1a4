import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import {
  asksBesides,
  type FindingCriteria,
  inRepositories,
  onFinding,
  raisedWithin,
  repositoriesFor,
  rulesFor,
} from './conditions.ts'
import { atLeast, between, type Order, rankedBy, ranks, type Stretch, signsOf } from './order.ts'

/** A way through findings in the order asked for, along runs that an index has in that order. */
export type Walk = {
  /** Whether findings are met on the way that are not wanted, and there may be many of them. */
  passesOthers: boolean
  /** The first findings of a stretch that are wanted: ids, as a query. */
  page(stretch: Stretch, limit: number): Sql
  /** The finding at which so many have been met, wanted or not: its id, as a query, and nothing where the way ends before it. */
  nth(stretch: Stretch, count: number): Sql
}

/** What is known to be few of what the gravest are asked of: repositories, or the findings of the rules. */
export type Few = { repositories: readonly number[] | undefined; ofRules: boolean }

const allStates = [1, 2, 3, 4, 5, 6, 7, 8]
const allSeverities = [1, 2, 3, 4, 5]
const ofRepositories = [
  ...(['repositoryIds', 'repositories', 'tags', 'teams'] as const),
  ...(['publiclyExposed', 'archived', 'raised'] as const),
]

/**
 * Runs of rules or repositories are as many as there are of those: each is read until it has filled a page. Those of states and
 * severities are few and known, so they are merged, and each is read no further than the page reaches. By severity one after the
 * other is asked, until the page is full.
 */
export function walkFor(actor: Actor, wanted: FindingCriteria, order: Order, few: Few): Walk {
  const { deploymentId } = actor
  const { ruleIds, states = allStates, severities = allSeverities } = wanted
  const repositories = repositoriesFor(actor, wanted)
  const alike = onFinding(wanted, deploymentId)
  const isTimed = order.by === 'raisedAt' || order.by === 'severity'
  const asked = { deploymentId, order, alike, within: isTimed ? raisedWithin(wanted) : empty }
  const seen = { ...asked, alike: sql`${alike} ${inRepositories(actor, wanted)}` }
  const besides = (answered: readonly (keyof FindingCriteria)[]) => asksBesides(wanted, answered)
  if (ruleIds && (order.by !== 'severity' || few.ofRules)) {
    const passesOthers = !few.ofRules && (repositories !== undefined || besides(['ruleIds', 'raised']))
    return { passesOthers, ...eachRun(seen, sql`(${rulesFor(ruleIds, deploymentId)})`, sql`and f.rule_id = run.id`) }
  }
  if (order.by === 'severity') {
    const passesOthers = besides([...ofRepositories, 'severities'])
    if (few.repositories) return { passesOthers, ...gradedInEach(asked, few.repositories, severities) }
    return {
      passesOthers: repositories !== undefined || besides(['states', 'severities', 'raised']),
      ...graded(seen, states, severities),
    }
  }
  if (repositories) {
    const passesOthers = besides(ofRepositories)
    return { passesOthers, ...eachRun(asked, sql`(${repositories})`, sql`and f.repository_id = run.id`) }
  }
  // Runs are merged by columns alone, and not by the beginning of a path.
  if (order.by === 'path') {
    const passesOthers = besides(['states'])
    return { passesOthers, ...eachRun(asked, sql`unnest(${states}::smallint[])`, sql`and f.state = run.id`) }
  }
  if (order.by === 'stateChangedAt') {
    const runs = states.map((state) => sql`and f.state = ${state}`)
    return { passesOthers: besides(['states']), ...merged(asked, runs) }
  }
  if (!wanted.states && !wanted.severities) {
    // The index of time also has what reports count findings as.
    const isCovered = (wanted.stage ?? wanted.guardrailsFigure) !== undefined
    return { passesOthers: besides(['raised']), ...inTime(asked, isCovered) }
  }
  const runs = states.flatMap((state) =>
    severities.map((severity) => sql`and f.state = ${state} and f.severity = ${severity}`),
  )
  return { passesOthers: besides(['states', 'severities', 'raised']), ...merged(asked, runs) }
}

type Asked = { deploymentId: number; order: Order; alike: Sql; within: Sql }
type Way = Omit<Walk, 'passesOthers'>

const findingsOf = ({ deploymentId, within }: Asked, inRun: Sql) =>
  sql`from finding f where f.deployment_id = ${deploymentId} ${inRun} ${within}`

/** The first findings of each run (`run.id`), and of those the first. */
function eachRun(asked: Asked, runs: Sql, inRun: Sql): Way {
  const { order, alike } = asked
  const firstOf = (from: Sql, stretch: Stretch, conditions: Sql, some: Sql) =>
    sql`select hit.id from ${from} cross join lateral (
      select f.id, ${rankedBy[order.by]} ${findingsOf(asked, inRun)} ${between(stretch, order)} ${conditions}
      order by ${ranks(sql`f`, order)} ${some}) hit order by ${ranks(sql`hit`, order)}`
  return {
    page(stretch, limit) {
      const some = sql`limit ${atLeast(limit)}`
      return sql`${firstOf(sql`${runs} as run (id)`, stretch, alike, some)} ${some}`
    },
    nth: (stretch, count) => sql`${firstOf(shared(runs, count), stretch, empty, lastOfShare)} limit 1`,
  }
}

/** Of many runs, each is read at least so far. */
const leastOfRun = raw('20')

/** What is behind the first of these, in the order of all runs, may not have been met in its own. */
const lastOfShare = sql`offset run.share - 1 limit 1`

const shared = (runs: Sql, count: number) =>
  sql`(select run.id, greatest(${leastOfRun}, ${count}::bigint / count(*) over ()) as share from ${runs} as run (id)) run`

const offset = (count: number) => sql`offset ${count - 1}::bigint limit 1`

/** All findings in the order of time, until a page is full: whatever the planner believes to be rare. */
function inTime(asked: Asked, isCovered: boolean): Way {
  const { order, alike } = asked
  const way = (columns: Sql, stretch: Stretch, conditions: Sql) =>
    sql`select ${columns} ${findingsOf(asked, between(stretch, order))} ${conditions} order by ${ranks(sql`f`, order)}`
  return {
    page: (stretch, limit) =>
      isCovered
        ? sql`${way(sql`f.id`, stretch, alike)} limit ${atLeast(limit)}`
        : sql`select f.id from (${way(sql`f.*`, stretch, empty)} offset 0) f where true ${alike} limit ${atLeast(limit)}`,
    nth: (stretch, count) => sql`${way(sql`f.id`, stretch, empty)} ${offset(count)}`,
  }
}

/** What is asked of the findings of all runs is asked behind them, so that tables that it needs are read once. */
function merged(asked: Asked, runs: readonly Sql[]): Way {
  const { order, alike } = asked
  const from = (columns: Sql, stretch: Stretch) => together(asked, runs, columns, between(stretch, order))
  return {
    page: (stretch, limit) => sql`select f.id from ${from(sql`f.*`, stretch)}
      where true ${alike} order by ${ranks(sql`f`, order)} limit ${atLeast(limit)}`,
    nth: (stretch, count) => sql`select f.id from ${from(sql`f.id, ${rankedBy[order.by]}`, stretch)}
      order by ${ranks(sql`f`, order)} ${offset(count)}`,
  }
}

function together(asked: Asked, runs: readonly Sql[], columns: Sql, bounds: Sql): Sql {
  const each = (inRun: Sql) =>
    sql`(select ${columns} ${findingsOf(asked, inRun)} ${bounds} order by ${ranks(sql`f`, asked.order)})`
  return sql`(${join(runs.map(each), ' union all ')}) f`
}

/** Within one severity the order is that of time. */
const byTime = (asked: Asked): Asked => ({ ...asked, order: { ...asked.order, by: 'raisedAt' } })

/** One severity after the other, its states merged. */
function graded(asked: Asked, states: readonly number[], severities: readonly number[]): Way {
  const timed = byTime(asked)
  const rank = ranks(sql`f`, timed.order)
  const runs = states.map((state) => sql`and f.state = ${state} and f.severity = graded.severity`)
  const inTurn = (stretch: Stretch, columns: Sql, rest: Sql) =>
    sql`select hit.id from ${gradesOf(severities, stretch, asked.order)} cross join lateral (
      select f.id from ${together(timed, runs, columns, inGrade(asked.order))} ${rest}) hit`
  return {
    page(stretch, limit) {
      const some = sql`limit ${atLeast(limit)}`
      return sql`${inTurn(stretch, sql`f.*`, sql`where true ${asked.alike} order by ${rank} ${some}`)} ${some}`
    },
    nth: (stretch, count) => sql`${inTurn(stretch, sql`f.id, f.raised_at`, sql`order by ${rank}`)} ${offset(count)}`,
  }
}

/** The same for each of a few repositories. */
function gradedInEach(asked: Asked, few: readonly number[], severities: readonly number[]): Way {
  const { order, alike } = asked
  const runs = sql`unnest(${few}::bigint[])`
  const rank = (row: Sql) => ranks(row, byTime(asked).order)
  const ofRun = (conditions: Sql) => sql`select f.id, ${rankedBy[order.by]}
    ${findingsOf(asked, sql`and f.repository_id = run.id and f.severity = graded.severity`)} ${inGrade(order)} ${conditions}
    order by ${rank(sql`f`)}`
  const grades = (stretch: Stretch) => gradesOf(severities, stretch, order)
  return {
    page(stretch, limit) {
      const some = sql`limit ${atLeast(limit)}`
      return sql`select hit.id from ${grades(stretch)} cross join lateral (
        select one.id from ${runs} as run (id) cross join lateral (${ofRun(alike)} ${some}) one order by ${rank(sql`one`)} ${some}) hit
        ${some}`
    },
    nth: (stretch, count) => sql`select hit.id from ${shared(runs, count)} cross join lateral (
        select one.* from ${grades(stretch)} cross join lateral (${ofRun(empty)}) one ${lastOfShare}) hit
      order by ${ranks(sql`hit`, order)} limit 1`,
  }
}

/** Before and after all findings. */
const ends = [
  ['-infinity', 0],
  ['infinity', Number.MAX_SAFE_INTEGER],
] as const

/** The severities of a stretch in their order, each with the part of the stretch that is in it, as a table. */
function gradesOf(severities: readonly number[], { after, end }: Stretch, order: Order): Sql {
  const ascending = order.direction === 'asc'
  const [start, finish] = ascending ? ends : ends.toReversed()
  const sign = ascending ? 1 : -1
  const grades = [...new Set(severities)]
    .filter((one) => !(after && (one - after.severity) * sign < 0) && !(end && (one - end.severity) * sign > 0))
    .sort((a, b) => (a - b) * sign)
  const first = grades.map((one) => (after?.severity === one ? ([after.at.toISOString(), after.id] as const) : start!))
  const last = grades.map((one) => (end?.severity === one ? ([end.at.toISOString(), end.id] as const) : finish!))
  return sql`unnest(${grades}::smallint[], ${first.map(([at]) => at)}::timestamptz[], ${first.map(([, id]) => id)}::bigint[],
    ${last.map(([at]) => at)}::timestamptz[], ${last.map(([, id]) => id)}::bigint[])
    as graded (severity, after_at, after_id, end_at, end_id)`
}

function inGrade(order: Order): Sql {
  const { beyond, upTo } = signsOf(order)
  return sql`and (f.raised_at, f.id) ${beyond} (graded.after_at, graded.after_id)
    and (f.raised_at, f.id) ${upTo} (graded.end_at, graded.end_id)`
}
