import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { plainArray } from '../../../kernel/database/array-literal.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { BlockingRule } from './guardrails.ts'
import { type ToldFinding, type ToldRow, toldColumns, toldFinding } from './told-finding.ts'

const mostTold = 100

type Place = {
  repositoryId: number
  pullRequest: number
  /** The rules that block the pull request. */
  rules: readonly BlockingRule[]
}
/** An automation, and the findings for which it blocks. */
type BlockingAutomation = { name: string; findingIds: number[] }

type BlockingFinding = ToldFinding & { because: string[] }

type Row = ToldRow & { by_rule: boolean; total: number }

export type BlockingFindings = (
  db: Queryable,
  place: Place,
  automations: readonly BlockingAutomation[],
) => Promise<{ findings: BlockingFinding[]; total: number }>

/** What a developer has to know of what blocks their build: the worst first, and how many there are in all. */
export const blockingFindings: BlockingFindings = async (db, { repositoryId, pullRequest, rules }, automations) => {
  // The statement takes each once.
  const ids = plainArray(automations.flatMap(({ findingIds }) => findingIds))
  const rows = await db.query<Row>(sql`with blocking as (
      select unnest(${ids}::bigint[]) as id
      union
      select f.id from finding_stream s
        join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <= ${codes.state.code('fixing')}
        join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
        join unnest(${rules.map(({ product }) => product)}::smallint[], ${rules.map(({ rule }) => rule)}::text[])
          as pair (product, rule) on pair.product = f.product and pair.rule = rule.external_id
        where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest})
    select ${toldColumns}, count(*) over () as total,
      exists (select 1 from unnest(${rules.map(({ product }) => product)}::smallint[], ${rules.map(({ rule }) => rule)}::text[])
        as pair (product, rule) where pair.product = f.product and pair.rule = rule.external_id) as by_rule
    from blocking
    join finding f on f.deployment_id = ${db.deploymentId} and f.id = blocking.id
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    join deployment on deployment.id = f.deployment_id
    order by f.severity desc, f.path, f.start_line, f.id limit ${mostTold}`)
  return { findings: rows.map((row) => told(row, automations)), total: Number(rows[0]?.total ?? 0) }
}

function told({ by_rule, total: _, ...row }: Row, automations: readonly BlockingAutomation[]): BlockingFinding {
  const named = automations.filter(({ findingIds }) => findingIds.includes(row.id))
  const because = [
    ...(by_rule ? [`the policy blocks the rule '${row.rule}'`] : []),
    ...named.map(({ name }) => `the automation '${name}' blocks it`),
  ]
  return { ...toldFinding(row), because }
}
