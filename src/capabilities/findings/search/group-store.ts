import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { findingsIn } from '../word-index/block-store.ts'
import { type FindingCriteria, onFinding, repositoriesFor } from './conditions.ts'
import { fewThatMayBe } from './count-store.ts'
import type { Grouping } from './group-contract.ts'

export type GroupRow = {
  value: string
  label: string
  worst: number
  total: number
  repositories: number
  oldest: Date
  severities: number[]
  states: number[]
}

export type GroupOrder = 'severity' | 'count' | 'oldest'
/** Where the page before ended. */
export type GroupPosition = { worst: number; total: number; oldest: Date; value: string; label: string }

/** The findings (`f`) of a question, as the `from` and `where` of a statement that goes over all of them. */
export async function findingsFor(db: Queryable, actor: Actor, wanted: FindingCriteria, beside: Sql): Promise<Sql> {
  const few = await fewThatMayBe(db, wanted)
  const repositories = repositoriesFor(actor, wanted)
  const there = repositories ? sql`and f.repository_id in (${repositories})` : empty
  return sql`${few ? findingsIn(db.deploymentId, few) : sql`finding`} f ${beside}
    where f.deployment_id = ${db.deploymentId} ${onFinding(wanted, db.deploymentId)} ${there}`
}

/** What findings are counted by first; what they are then known by (`value`, `label`), of that (`g.key`). */
const keys: Record<Grouping, { key: Sql; where: Sql; names: (deploymentId: number) => Sql }> = {
  rule: {
    key: sql`f.rule_id`,
    where: empty,
    names: (deploymentId) => sql`select rule.external_id as value, rule.title as label from finding_rule rule
      where rule.deployment_id = ${deploymentId} and rule.id = g.key`,
  },
  repository: {
    key: sql`f.repository_id`,
    where: empty,
    names: (deploymentId) => sql`select r.name as value, '' as label from repository r
      where r.deployment_id = ${deploymentId} and r.id = g.key`,
  },
  vulnerability: {
    key: sql`f.vulnerability_ids[1]`,
    where: sql`and f.vulnerability_ids <> '{}'`,
    names: () => sql`select g.key as value, g.title as label`,
  },
  path: {
    key: sql`f.path`,
    where: sql`and f.path <> ''`,
    names: () => sql`select g.key as value, '' as label`,
  },
  package: {
    key: sql`(f.content->'dependency') - 'version'`,
    where: sql`and jsonb_typeof(f.content->'dependency') = 'object'`,
    names: () => sql`select g.key->>'name' as value, g.key->>'ecosystem' as label`,
  },
}

const severities = [1, 2, 3, 4, 5]
const states = [1, 2, 3, 4, 5, 6, 7, 8]

function counters(column: Sql, codes: readonly number[]): Sql {
  return join(codes.map((code) => sql`count(*) filter (where ${column} = ${raw(String(code))})`))
}

function sums(list: Sql, length: number): Sql {
  return join(Array.from({ length }, (_, at) => sql`sum(${list}[${raw(String(at + 1))}])`))
}

/** Counted by repository first, so that how many there are needs no sorting. */
export async function listGroups(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  { by, order, after, limit }: { by: Grouping; order: GroupOrder; after: GroupPosition | undefined; limit: number },
): Promise<GroupRow[]> {
  const { key, where, names } = keys[by]
  const counted = sql`select ${key} as key, f.repository_id, count(*) as total, max(f.severity) as worst,
      min(f.raised_at) as oldest, array[${counters(sql`f.severity`, severities)}] as severities,
      array[${counters(sql`f.state`, states)}] as states,
      ${by === 'vulnerability' ? sql`min(f.title)` : sql`''`} as title
    from ${await findingsFor(db, actor, wanted, empty)} ${where} group by 1, 2`
  // By the name of a rule, which several tools may share; packages of one name are told apart by their ecosystem.
  const label = by === 'package' ? sql`n.label` : sql`min(n.label)`
  return db.query(sql`select * from (
      select n.value, ${label} as label, max(g.worst) as worst, sum(g.total)::bigint as total,
        count(distinct g.repository_id) as repositories, min(g.oldest) as oldest,
        array[${sums(sql`g.severities`, severities.length)}]::bigint[] as severities,
        array[${sums(sql`g.states`, states.length)}]::bigint[] as states
      from (${counted}) g cross join lateral (${names(db.deploymentId)} offset 0) n
      group by n.value ${by === 'package' ? sql`, n.label` : empty}) page
    ${past(after, order)} order by ${ranks(order)} limit ${limit}`)
}

function ranks(order: GroupOrder): Sql {
  if (order === 'oldest') return sql`oldest, value collate "C", label collate "C"`
  const first = order === 'severity' ? sql`worst desc,` : empty
  return sql`${first} total desc, value collate "C" desc, label collate "C" desc`
}

function past(after: GroupPosition | undefined, order: GroupOrder): Sql {
  if (!after) return empty
  const { worst, total, oldest, value, label } = after
  const own = sql`value collate "C", label collate "C"`
  const theirs = sql`${value}::text collate "C", ${label}::text collate "C"`
  if (order === 'oldest') return sql`where (oldest, ${own}) > (${oldest}::timestamptz, ${theirs})`
  if (order === 'count') return sql`where (total, ${own}) < (${total}::bigint, ${theirs})`
  return sql`where (worst, total, ${own}) < (${worst}::smallint, ${total}::bigint, ${theirs})`
}
