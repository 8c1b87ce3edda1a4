import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { columns, type FindingRow, withContext } from '../store.ts'
import { type FindingCriteria, inRepositories, onFinding, repositoriesFor, rulesFor } from './conditions.ts'
import { atLeast } from './order.ts'
import { ofPage } from './search-store.ts'

export type NameOrder = { by: 'repository' | 'rule'; direction: 'asc' | 'desc' }

/** A repository or a rule, by its name. Tools may share the name of a rule, so its number is part of its rank. */
type Named = { id: number; name: string }

/** Where the page before ended. */
export type NamePosition = { run: Named; at: Date; id: number }

type Range = { order: NameOrder; after: NamePosition | undefined; limit: number }

/** A page is mostly full after a few; where most have nothing to show, many are asked at once. */
const firstRuns = 16
const mostRuns = 4_096

/**
 * The first findings after a position, repository by repository or rule by rule in the order of their names, the newest of
 * each first. Each is a run that an index has in the order of time. They are asked some at a time, until a page is full.
 */
export async function searchByName(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { order, after, limit }: Range,
): Promise<FindingRow[]> {
  const read = (runs: readonly Named[], from: Sql, missing: number) =>
    readRuns(db, actor, wanted, { by: order.by, ids: runs.map(({ id }) => id), from, limit: missing })
  const found: FindingRow[] = []
  if (after) {
    const here = sql`and (f.raised_at, f.id) < (${after.at}::timestamptz, ${after.id}::bigint)`
    found.push(...(await read([after.run], here, limit)))
  }
  let last = after?.run
  for (let size = firstRuns; found.length < limit; size = Math.min(size * 8, mostRuns)) {
    const runs = await listRuns(db, actor, wanted, { order, last, size })
    if (runs.length > 0) found.push(...(await read(runs, empty, limit - found.length)))
    if (runs.length < size) break
    last = runs.at(-1)
  }
  return found.slice(0, limit)
}

function listRuns(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { order, last, size }: { order: NameOrder; last: Named | undefined; size: number },
): Promise<Named[]> {
  const { from, scope } = order.by === 'repository' ? ofRepositories(actor, wanted) : ofRules(actor, wanted)
  const way = order.direction === 'asc' ? sql`asc` : sql`desc`
  const beyond = order.direction === 'asc' ? sql`>` : sql`<`
  const rest = last ? sql`and (run.name collate "C", run.id) ${beyond} (${last.name}::text, ${last.id}::bigint)` : empty
  return db.query(sql`select run.id, run.name from (${from}) as run where true ${scope} ${rest}
    order by run.name collate "C" ${way}, run.id ${way} limit ${size}`)
}

function ofRepositories(actor: Actor, wanted: FindingCriteria): { from: Sql; scope: Sql } {
  const asked = repositoriesFor(actor, wanted)
  return {
    from: sql`select r.id, r.name from repository r where r.deployment_id = ${actor.deploymentId}`,
    scope: asked ? sql`and run.id in (${asked})` : empty,
  }
}

function ofRules({ deploymentId }: Actor, { ruleIds }: FindingCriteria): { from: Sql; scope: Sql } {
  return {
    from: sql`select rule.id, rule.external_id as name from finding_rule rule where rule.deployment_id = ${deploymentId}`,
    scope: ruleIds ? sql`and run.id in (${rulesFor(ruleIds, deploymentId)})` : empty,
  }
}

/** The newest of each run, run by run in the order given. */
function readRuns(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { by, ids, from, limit }: { by: NameOrder['by']; ids: readonly number[]; from: Sql; limit: number },
): Promise<FindingRow[]> {
  const inRun = by === 'repository' ? sql`f.repository_id = run.id` : sql`f.rule_id = run.id`
  return db.query(sql`select ${columns} from (
      select hit.id, run.place, hit.raised_at
      from unnest(${[...ids]}::bigint[]) with ordinality as run (id, place) cross join lateral (
        select f.id, f.raised_at from finding f where f.deployment_id = ${db.deploymentId} and ${inRun}
          ${onFinding(wanted, db.deploymentId)} ${inRepositories(actor, wanted)} ${from}
        order by f.raised_at desc, f.id desc limit ${atLeast(limit)}) hit
      order by run.place, hit.raised_at desc, hit.id desc limit ${atLeast(limit)}) page
    ${ofPage(db.deploymentId)} ${withContext(db.deploymentId)}
    order by page.place, f.raised_at desc, f.id desc`)
}
