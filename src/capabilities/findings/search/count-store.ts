import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type CountRow, isTallied, tally } from '../counters/tally-store.ts'
import { countOverdue, isTalliedButForAge } from '../deadlines/overdue-store.ts'
import { findingsIn } from '../word-index/block-store.ts'
import { narrowed } from '../word-index/narrowing.ts'
import type { Range } from '../word-index/signature.ts'
import { type FindingCriteria, onFinding, raisedWithin, repositoriesFor, rulesFor } from './conditions.ts'
import { rangesOfFew, rangesOfIds } from './few-findings.ts'
import { isNowhere } from './search-store.ts'

/** `atLeast`: there may be more, not everything was looked at. */
export type Counted = { rows: CountRow[]; atLeast: boolean }

/** This many are looked at in less than half a second. */
const mostCounted = 200_000

/** Blocks beyond that have more findings. */
const worthCounting = { share: 0.3, atLeast: 300, atMost: 6_500 }

/**
 * How many findings there are of each kind: by the counters, or of the few that can be meant. Otherwise some are looked at, and there
 * are at least this many.
 */
export async function count(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  most = mostCounted,
): Promise<Counted> {
  if (isTallied(wanted)) return { rows: await tally(db, actor, wanted), atLeast: false }
  if (isTalliedButForAge(wanted)) return { rows: await countOverdue(db, actor, wanted), atLeast: false }
  if (await isNowhere(db, wanted)) return { rows: [], atLeast: false }
  const few = await fewThatMayBe(db, wanted)
  const repositories = repositoriesFor(actor, wanted)
  const there = repositories ? sql`and (f.repository_id in (${repositories})) is true` : empty
  const from = few
    ? findingsIn(db.deploymentId, few)
    : sql`(${some(db.deploymentId, wanted, repositories)} limit ${most + 1})`
  const rows = await db.query<
    CountRow & { looked: number }
  >(sql`select f.state, f.severity, f.product, count(*) as looked,
      count(*) filter (where true ${onFinding(wanted, db.deploymentId)} ${there}) as count
    from ${from} f group by f.state, f.severity, f.product`)
  const looked = rows.reduce((sum, row) => sum + row.looked, 0)
  return { rows: rows.filter((row) => row.count > 0), atLeast: !few && looked > most }
}

/** All findings that can be meant, where they are few. */
export async function fewThatMayBe(db: Queryable, wanted: FindingCriteria): Promise<Range[] | undefined> {
  return (
    (await rangesOfIds(db, wanted)) ?? (await narrowed(db, wanted, worthCounting)) ?? (await rangesOfFew(db, wanted))
  )
}

/** Along an index, one run after the other. */
function some(deploymentId: number, wanted: FindingCriteria, repositories: Sql | undefined): Sql {
  const found = (condition: Sql) => sql`select f.* from finding f where f.deployment_id = ${deploymentId} ${condition}`
  const inRuns = (runs: Sql, inRun: Sql) =>
    sql`select f.* from (${runs}) as run (id) cross join lateral (${found(inRun)} offset 0) f`
  if (wanted.ruleIds) return inRuns(rulesFor(wanted.ruleIds, deploymentId), sql`and f.rule_id = run.id`)
  const span = raisedWithin(wanted)
  if (repositories) return inRuns(repositories, sql`and f.repository_id = run.id ${span}`)
  return wanted.raised ? sql`${found(span)} order by f.raised_at` : sql`${found(empty)} order by f.id`
}
