import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type CountRow, isAnyTallied, isTallied, tally } from '../counters/tally-store.ts'
import { countOverdue, isTalliedButForAge } from '../deadlines/overdue-store.ts'
import { find as findDeadlines } from '../deadlines/store.ts'
import { columns, type FindingRow, withContext } from '../store.ts'
import { findingsIn } from '../word-index/block-store.ts'
import { hasWords, narrowed } from '../word-index/narrowing.ts'
import type { Range as Blocks } from '../word-index/signature.ts'
import {
  type FindingCriteria,
  inRepositories,
  matches,
  onFinding,
  raisedWithin,
  repositoriesFor,
  rulesFor,
} from './conditions.ts'
import { rangesOfIds } from './ids-store.ts'

/** What one finding is ranked by alone; the names of repositories and rules are another matter: `name-order-store.ts`. */
export type Order = { by: 'raisedAt' | 'severity' | 'stateChangedAt' | 'path'; direction: 'asc' | 'desc' }

/** Where the page before ended; `path` as `pathKey` gives it. */
export type Position = { severity: number; at: Date; stateAt: Date; path: string; id: number }

export type Range = { order: Order; after: Position | undefined; limit: number }

const allStates = [1, 2, 3, 4, 5, 6, 7, 8]
const allSeverities = [1, 2, 3, 4, 5]

/**
 * The first findings after a position. They are gathered from runs that an index has in the order asked for, none of them
 * read further than it has to be: one run for each rule, where some are asked for, else for each repository, where some are, else
 * for each state and severity; see `inRuns`.
 */
export async function search(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  range: Range,
): Promise<FindingRow[]> {
  if (await isNowhere(db, wanted)) return []
  const { order, after, limit } = range
  const blocks = (await rangesOfIds(db, wanted)) ?? (await blocksOf(db, actor, wanted))
  const hits = blocks
    ? sql`select f.id from ${findingsIn(db.deploymentId, blocks)} f
        where true ${onFinding(wanted, db.deploymentId)} ${past(after, order)} ${inRepositories(actor, wanted)}
        order by ${ranks(sql`f`, order)} limit ${atLeast(limit)}`
    : inRuns(actor, wanted, range, await fewRepositories(db, actor, wanted, order))
  return db.query(sql`select ${columns} from (${hits}) page
    ${ofPage(db.deploymentId)} ${withContext(db.deploymentId)}
    order by ${ranks(sql`f`, order)}`)
}

/** Whether it is known that there is nothing. Whoever looked for it would read every finding. */
async function isNowhere(db: Queryable, wanted: FindingCriteria): Promise<boolean> {
  if (wanted.overdue && !(await findDeadlines(db))) return true
  return (wanted.products ?? wanted.pullRequests) !== undefined && !(await isAnyTallied(db, wanted))
}

/**
 * Findings in a fifth of all blocks are read at once; beyond that what is wanted is so frequent that a page is sooner full from
 * runs, each of which is read until it is.
 */
const worthReading = { share: 0.2, atLeast: 300 }

/** The runs of a rule, or of a scan's repository, are mostly short. */
const worthLeaving = { share: 0, atLeast: 100 }

/** A finding of a block that may have the words takes as long as some findings of a run. */
const runFindings = 4

/** More blocks are read for larger scopes: counters tell how many findings the runs of its repositories have. */
async function blocksOf(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<Blocks[] | undefined> {
  const { ruleIds, scanIds, repositoryIds, repositories, tags, teams } = wanted
  if (!hasWords(wanted)) return undefined
  if (ruleIds ?? scanIds) return narrowed(db, wanted, worthLeaving)
  if (!(repositoryIds ?? repositories ?? tags ?? teams)) return narrowed(db, wanted, worthReading)
  const counts = await tally(db, actor, wanted)
  const findings = counts.reduce((sum, { count }) => sum + count, 0)
  return narrowed(db, wanted, { share: 0, atLeast: Math.max(worthLeaving.atLeast, findings / runFindings) })
}

/** Beyond that, a page of the gravest is sooner full when the findings of all repositories are gone through. */
const mostGradedRuns = 128

/**
 * The repositories that the gravest are asked of, where they are few. Who goes through the findings of all repositories reads a
 * hundred for each that somebody sees who sees one repository in a hundred.
 */
async function fewRepositories(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { by }: Order,
): Promise<number[] | undefined> {
  const repositories = by === 'severity' && !wanted.ruleIds ? repositoriesFor(actor, wanted) : undefined
  if (!repositories) return undefined
  const rows = await db.query<{ id: number }>(sql`${repositories} limit ${mostGradedRuns + 1}`)
  return rows.length > mostGradedRuns ? undefined : rows.map(({ id }) => id)
}

/**
 * Runs of rules or repositories are as many as there are of those: each is read until it has filled a page. Those of states and
 * severities are few and known, so they are merged, and each is read no further than the page reaches. By severity one after the
 * other is asked, until the page is full.
 */
function inRuns(
  actor: Actor,
  wanted: FindingCriteria,
  { order, after, limit }: Range,
  few: readonly number[] | undefined,
): Sql {
  const { deploymentId } = actor
  const { ruleIds, states = allStates, severities = allSeverities } = wanted
  const alike = sql`${onFinding(wanted, deploymentId)} ${past(after, order)}`
  const asked = { deploymentId, order, alike, limit }
  const seen = inRepositories(actor, wanted)
  if (ruleIds) {
    return firstOfEach(asked, sql`(${rulesFor(ruleIds, deploymentId)})`, sql`and f.rule_id = run.id ${seen}`)
  }
  if (order.by === 'severity') {
    // Within one severity the order is that of time.
    const byTime = { ...asked, order: { ...order, by: 'raisedAt' as const } }
    const within = few
      ? firstOfEach(
          byTime,
          sql`unnest(${few}::bigint[])`,
          sql`and f.repository_id = run.id and f.severity = graded.severity`,
        )
      : merged(
          byTime,
          states.map((state) => sql`and f.state = ${state} and f.severity = graded.severity`),
          seen,
        )
    return sql`select hit.id from unnest(${inOrder(severities, order)}::smallint[]) as graded (severity)
      cross join lateral (${within}) hit limit ${atLeast(limit)}`
  }
  const repositories = repositoriesFor(actor, wanted)
  if (repositories) return firstOfEach(asked, sql`(${repositories})`, sql`and f.repository_id = run.id`)
  // Runs are merged by columns alone, and not by the beginning of a path.
  if (order.by === 'path') return firstOfEach(asked, sql`unnest(${states}::smallint[])`, sql`and f.state = run.id`)
  if (order.by === 'stateChangedAt')
    return merged(
      asked,
      states.map((state) => sql`and f.state = ${state}`),
    )
  // In the order of time there is an index of all, which also has what reports count findings as.
  if (wanted.stage ?? wanted.guardrailsFigure) {
    return sql`select f.id ${findingsOf(deploymentId, empty)} ${alike} ${pageOf(asked, sql`f`)}`
  }
  if (!wanted.states && !wanted.severities) return inTime(asked, sql`${raisedWithin(wanted)} ${past(after, order)}`)
  const runs = states.flatMap((state) =>
    severities.map((severity) => sql`and f.state = ${state} and f.severity = ${severity}`),
  )
  return merged(asked, runs)
}

type Asked = { deploymentId: number; order: Order; alike: Sql; limit: number }

const findingsOf = (deploymentId: number, inRun: Sql) =>
  sql`from finding f where f.deployment_id = ${deploymentId} ${inRun}`

const pageOf = ({ order, limit }: Asked, row: Sql) => sql`order by ${ranks(row, order)} limit ${atLeast(limit)}`

/** The first findings of each run (`run.id`), and of those the first. */
function firstOfEach(asked: Asked, runs: Sql, inRun: Sql): Sql {
  return sql`select hit.id from ${runs} as run (id) cross join lateral (
      select f.id, ${rankedBy[asked.order.by]} ${findingsOf(asked.deploymentId, inRun)} ${asked.alike}
      ${pageOf(asked, sql`f`)}) hit ${pageOf(asked, sql`hit`)}`
}

/** All findings in the order of time, within the span given, until a page is full: whatever the planner believes to be rare. */
function inTime({ deploymentId, order, alike, limit }: Asked, span: Sql): Sql {
  return sql`select f.id from (
      select f.* ${findingsOf(deploymentId, span)} order by ${ranks(sql`f`, order)} offset 0) f
    where true ${alike} limit ${atLeast(limit)}`
}

/** What is asked of the findings of all runs is asked behind them, so that tables that it needs are read once. */
function merged(asked: Asked, runs: readonly Sql[], seen = empty): Sql {
  const each = (inRun: Sql) =>
    sql`(select f.* ${findingsOf(asked.deploymentId, inRun)} order by ${ranks(sql`f`, asked.order)})`
  return sql`select f.id from (${join(runs.map(each), ' union all ')}) f
    where true ${asked.alike} ${seen} ${pageOf(asked, sql`f`)}`
}

function inOrder(severities: readonly number[], { direction }: Order): number[] {
  return [...new Set(severities)].sort((a, b) => (direction === 'asc' ? a - b : b - a))
}

/** What of a finding (`f`) its rank needs. */
const rankedBy = {
  raisedAt: sql`f.raised_at`,
  severity: sql`f.severity, f.raised_at`,
  stateChangedAt: sql`f.state_at`,
  path: sql`f.path`,
}

/** An entry of an index has room for no more. */
const pathLength = 200
const pathOf = (row: Sql): Sql => sql`left(${row}.path, ${raw(String(pathLength))}) collate "C"`

/** What `pathOf` makes of a path: characters are counted as PostgreSQL does. */
export function pathKey(path: string): string {
  return path.length <= pathLength ? path : [...path].slice(0, pathLength).join('')
}

const limits = [11, 51, 101].map((count) => ({ count, literal: raw(String(count)) }))

/** At least so many, as one of a few numbers that are part of the statement, so that it is planned for them. */
export function atLeast(count: number): Sql {
  const limit = limits.find((each) => each.count >= count)
  if (!limit) throw new Error(`pages of ${count} are not read`)
  return limit.literal
}

function ranks(row: Sql, { by, direction }: Order): Sql {
  const way = direction === 'asc' ? sql`asc` : sql`desc`
  const keys = {
    raisedAt: sql`${row}.raised_at ${way}`,
    severity: sql`${row}.severity ${way}, ${row}.raised_at ${way}`,
    stateChangedAt: sql`${row}.state_at ${way}`,
    path: sql`${pathOf(row)} ${way}`,
  }
  return sql`${keys[by]}, ${row}.id ${way}`
}

function past(after: Position | undefined, { by, direction }: Order): Sql {
  if (!after) return empty
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  if (by === 'stateChangedAt') {
    return sql`and (f.state_at, f.id) ${beyond} (${after.stateAt}::timestamptz, ${after.id}::bigint)`
  }
  if (by === 'path') {
    return sql`and (${pathOf(sql`f`)}, f.id) ${beyond} (${after.path}::text collate "C", ${after.id}::bigint)`
  }
  if (by === 'severity') {
    return sql`and (f.severity, f.raised_at, f.id) ${beyond} (${after.severity}::smallint, ${after.at}::timestamptz, ${after.id}::bigint)`
  }
  return sql`and (f.raised_at, f.id) ${beyond} (${after.at}::timestamptz, ${after.id}::bigint)`
}

export async function count(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<CountRow[]> {
  if (isTallied(wanted)) return tally(db, actor, wanted)
  if (isTalliedButForAge(wanted)) return countOverdue(db, actor, wanted)
  if (await isNowhere(db, wanted)) return []
  const blocks = (await rangesOfIds(db, wanted)) ?? (await narrowed(db, wanted, worthCounting))
  const repositories = repositoriesFor(actor, wanted)
  const there = repositories ? sql`and f.repository_id in (${repositories})` : empty
  return db.query(sql`select f.state, f.severity, f.product, count(*) as count
    from ${blocks ? findingsIn(db.deploymentId, blocks) : sql`finding`} f
    where f.deployment_id = ${db.deploymentId} ${onFinding(wanted, db.deploymentId)} ${there}
    group by f.state, f.severity, f.product`)
}

/** Block by block is dearer than one after the other. */
const worthCounting = { share: 0.3, atLeast: 300 }

/** The next so many after an id, in the order of ids; none that came after `last`. */
export function listAfter(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<FindingRow[]> {
  return db.query(sql`select ${columns} from (
      select f.id from finding f where f.deployment_id = ${db.deploymentId} and f.id > ${after} and f.id <= ${last}
        and ${matches(actor, wanted)} order by f.id limit ${limit}) page
    ${ofPage(db.deploymentId)} ${withContext(db.deploymentId)} order by f.id`)
}

export function ofPage(deploymentId: number): Sql {
  return sql`cross join lateral (
    select f.* from finding f where f.deployment_id = ${deploymentId} and f.id = page.id offset 0) f`
}

export async function lastId(db: Queryable): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select f.id from finding f
    where f.deployment_id = ${db.deploymentId} order by f.id desc limit 1`)
  return row?.id ?? 0
}
