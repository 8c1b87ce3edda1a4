import sql, { empty } from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

/** A rule of a source, and what it stands for on the branches that the actor sees. */
type FoundRule = {
  id: number
  externalId: string
  /** Of the worst of its findings. */
  title: string
  severity: number
  findingCount: number
  repositoryCount: number
}

type RuleQuestion = { source: string; repositoryId?: number | undefined; page: PageRequest }

/** The rules that have open findings, by id. */
export function listFoundRules(db: Queryable, actor: Actor, question: RuleQuestion): Promise<FoundRule[]> {
  const { source, repositoryId, page } = question
  const there = repositoryId === undefined ? empty : sql`and f.repository_id = ${repositoryId}`
  const ofRepository =
    repositoryId === undefined
      ? empty
      : sql`and rule.id in (select f.rule_id from finding f
          where f.deployment_id = ${db.deploymentId} ${there})`
  return db.query(sql`select rule.id, rule.external_id as "externalId", sums.* from finding_rule rule
    cross join lateral (
      select (array_agg(f.title order by f.severity desc, f.id))[1] as title, max(f.severity) as severity,
        count(*)::integer as "findingCount", count(distinct f.repository_id)::integer as "repositoryCount"
      from finding f where f.deployment_id = ${db.deploymentId} and f.rule_id = rule.id and f.pull_request = 0
        and f.state <= ${stateIs.lastOpen} and ${visibleTo(actor, sql`f.repository_id`)} ${there}
    ) sums
    where rule.deployment_id = ${db.deploymentId} and rule.source = ${source} and rule.id > ${page.after}
      and sums."findingCount" > 0 ${ofRepository}
    order by rule.id limit ${page.size + 1}`)
}

/** Those of the repositories where the rules have findings, and people or rules decided that none of them is to be mended. */
export async function repositoriesWithoutOpen(
  db: Queryable,
  { source, externalIds }: { source: string; externalIds: readonly string[] },
  repositoryIds: readonly number[],
): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(sql`select f.repository_id as id from finding f
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where f.deployment_id = ${db.deploymentId} and f.repository_id = any(${repositoryIds}::bigint[])
      and f.pull_request = 0 and not f.absent and (f.state < ${stateIs.fixed} or f.state = ${stateIs.fixed} and f.decided_by = ${decidedBy.person})
      and rule.source = ${source} and rule.external_id = any(${externalIds}::text[])
    group by f.repository_id having bool_and(f.state > ${stateIs.lastOpen})`)
  return new Set(rows.map(({ id }) => id))
}
