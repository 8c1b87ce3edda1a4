import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { isAnyTallied, tally } from '../counters/tally-store.ts'
import { find as findDeadlines } from '../deadlines/store.ts'
import { columns, type FindingRow, withContext } from '../store.ts'
import { findingsIn } from '../word-index/block-store.ts'
import { hasWords, narrowed } from '../word-index/narrowing.ts'
import type { Range as Ids } from '../word-index/signature.ts'
import { type FindingCriteria, inRepositories, matches, onFinding, repositoriesFor, rulesFor } from './conditions.ts'
import { rangesOfFew, rangesOfIds } from './few-findings.ts'
import { atLeast, between, type Order, type Position, pathKey, ranks } from './order.ts'
import { type Few, type Walk, walkFor } from './walks.ts'

export type Range = { order: Order; after: Position | undefined; limit: number }

/** `lookedUpTo`: nothing more is wanted up to there, and what is behind it was not looked at. */
export type Found = { rows: FindingRow[]; lookedUpTo?: Position }

/**
 * So many findings are looked at for a page, wanted or not. A page is mostly full after the first; where it is not, what is wanted may
 * be rare, and an index may lead to all of it.
 */
export const looks = { first: 2_000, further: 20_000 }

/**
 * The first findings after a position. They are gathered from runs that an index has in the order asked for, none of them
 * read further than it has to be: one run for each rule, where some are asked for, else for each repository, where some are, else
 * for each state and severity; see `walks.ts`. Of a question that little matches, a page may have fewer than it could show.
 */
export async function search(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { order, after, limit }: Range,
  most = looks,
): Promise<Found> {
  if (await isNowhere(db, wanted)) return { rows: [] }
  const read = (hits: Sql) => readPage(db, hits, order)
  const among = (ids: readonly Ids[], from: Position | undefined, count: number) =>
    read(sql`select f.id from ${findingsIn(db.deploymentId, ids)} f where true ${onFinding(wanted, db.deploymentId)}
      ${between({ after: from, end: undefined }, order)} ${inRepositories(actor, wanted)}
      order by ${ranks(sql`f`, order)} limit ${atLeast(count)}`)
  const told = (await rangesOfIds(db, wanted)) ?? (await blocksOf(db, actor, wanted))
  if (told) return { rows: await among(told, after, limit) }
  const walk = walkFor(actor, wanted, order, await whatIsFew(db, actor, wanted, order))
  if (!walk.passesOthers) return { rows: await read(walk.page({ after, end: undefined }, limit)) }
  const rows: FindingRow[] = []
  let from = after
  for (const count of [most.first, most.further]) {
    const end = await findNth(db, walk, from, count)
    rows.push(...(await read(walk.page({ after: from, end }, limit - rows.length))))
    if (rows.length >= limit || !end) return { rows }
    from = end
    const few = count === most.first ? await rangesOfFew(db, wanted) : undefined
    if (few) return { rows: [...rows, ...(await among(few, from, limit - rows.length))] }
  }
  return { rows, lookedUpTo: from! }
}

function readPage(db: Queryable, hits: Sql, order: Order): Promise<FindingRow[]> {
  return db.query(sql`select ${columns} from (${hits}) page
    ${ofPage(db.deploymentId)} ${withContext(db.deploymentId)}
    order by ${ranks(sql`f`, order)}`)
}

/** Where a walk has come after this many findings. */
async function findNth(
  db: Queryable,
  walk: Walk,
  after: Position | undefined,
  count: number,
): Promise<Position | undefined> {
  const [row] = await db.query<
    Omit<Position, 'stateAt'> & { state_at: Date }
  >(sql`select f.id, f.severity, f.raised_at as at,
      f.state_at, f.path from (${walk.nth({ after, end: undefined }, count)}) page ${ofPage(db.deploymentId)}`)
  return row && { ...row, stateAt: row.state_at, path: pathKey(row.path) }
}

/** Whether it is known that there is nothing. Whoever looked for it would read every finding. */
export async function isNowhere(db: Queryable, wanted: FindingCriteria): Promise<boolean> {
  if (wanted.overdue && !(await findDeadlines(db))) return true
  return (wanted.products ?? wanted.pullRequests) !== undefined && !(await isAnyTallied(db, wanted))
}

/** Findings in so many blocks are read at once; beyond that what is wanted is so frequent that a page is sooner full from runs. */
const worthReading = { share: 0.2, atLeast: 300, atMost: 6_500 }

/** The runs of a rule, or of a scan's repository, are mostly short. */
const worthLeaving = { share: 0, atLeast: 100, atMost: 6_500 }

/** A finding of a block that may have the words takes as long as some findings of a run. */
const runFindings = 4

/** More blocks are read for larger scopes: counters tell how many findings the runs of its repositories have. */
async function blocksOf(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<Ids[] | undefined> {
  const { ruleIds, scanIds, repositoryIds, repositories, tags, teams } = wanted
  if (!hasWords(wanted)) return undefined
  if (ruleIds ?? scanIds) return narrowed(db, wanted, worthLeaving)
  if (!(repositoryIds ?? repositories ?? tags ?? teams)) return narrowed(db, wanted, worthReading)
  const counts = await tally(db, actor, { ...wanted, once: undefined })
  const findings = counts.reduce((sum, { count }) => sum + count, 0)
  return narrowed(db, wanted, { ...worthLeaving, atLeast: Math.max(worthLeaving.atLeast, findings / runFindings) })
}

/** Beyond that, a page of the gravest is sooner full when the findings of all repositories are gone through. */
const mostGradedRuns = 128

/** The findings of a rule are not in the order of their severities: this many are sorted for a page. */
const mostOfRules = 20_000

/**
 * What the gravest are asked of, where it is few. Who goes through the findings of all repositories reads a hundred for each that
 * somebody sees who sees one repository in a hundred.
 */
async function whatIsFew(db: Queryable, actor: Actor, wanted: FindingCriteria, { by }: Order): Promise<Few> {
  if (by !== 'severity') return { repositories: undefined, ofRules: false }
  if (wanted.ruleIds && (await isFewOfRules(db, wanted.ruleIds))) return { repositories: undefined, ofRules: true }
  const asked = repositoriesFor(actor, wanted)
  const rows = asked ? await db.query<{ id: number }>(sql`${asked} limit ${mostGradedRuns + 1}`) : []
  const isFew = asked !== undefined && rows.length <= mostGradedRuns
  return { repositories: isFew ? rows.map(({ id }) => id) : undefined, ofRules: false }
}

async function isFewOfRules(db: Queryable, ruleIds: readonly string[]): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from (
    select from (${rulesFor(ruleIds, db.deploymentId)}) rule cross join lateral (
      select from finding f where f.deployment_id = ${db.deploymentId} and f.rule_id = rule.id offset 0) f
    limit ${mostOfRules + 1}) met`)
  return row!.count <= mostOfRules
}

/** This many after an id, in the order of ids; none that came after `last`. */
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
