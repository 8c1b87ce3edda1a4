import sql, { type Sql } from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

/** What others write about a finding elsewhere: tickets, messages, other services. */
export type FindingDigest = {
  id: number
  title: string
  message: string
  severity: string
  product: string
  malicious: boolean
  path: string
  startLine: number
  ruleId: string
  cwes: string[]
  vulnerabilityIds: string[]
  repositoryId: number
  repositoryName: string
  ref: string
  raisedAt: Date
}

type Row = Omit<FindingDigest, 'severity' | 'product'> & { severity: number; product: number }

const selected = sql`select f.id, f.title, f.message, f.severity, f.product, f.malicious, f.path,
    f.start_line as "startLine", rule.external_id as "ruleId", f.cwes, f.vulnerability_ids as "vulnerabilityIds",
    r.id as "repositoryId", r.name as "repositoryName", stream.ref, f.raised_at as "raisedAt"
  from finding f
  join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
  join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
  join finding_stream stream on stream.deployment_id = f.deployment_id and stream.id = f.stream_id`

/** Those of the ids that are findings the actor sees. */
export async function describeFindings(db: Queryable, actor: Actor, ids: readonly number[]): Promise<FindingDigest[]> {
  const rows = await db.query<Row>(sql`${selected}
    where f.deployment_id = ${db.deploymentId} and f.id = any(${ids}::bigint[])
      and ${visibleTo(actor, sql`f.repository_id`)} order by f.id`)
  return rows.map(toDigest)
}

/** What is critical or high and still open on the default branch, the most severe first. */
export async function describeSevere(db: Queryable, repositoryId: number, limit: number): Promise<FindingDigest[]> {
  const rows = await db.query<Row>(sql`${selected}
    where f.deployment_id = ${db.deploymentId} and f.repository_id = ${repositoryId} and f.pull_request = 0
      and stream.ref = r.default_branch and f.state <= ${codes.state.code('fixing')}
      and f.severity >= ${codes.severity.code('high')}
    order by f.severity desc, f.id limit ${limit}`)
  return rows.map(toDigest)
}

function toDigest(row: Row): FindingDigest {
  const severity = `SEVERITY_${codes.severity.word(row.severity).toUpperCase()}`
  return { ...row, severity, product: codes.product.word(row.product) }
}

/** A condition that holds where the id in `column` is that of a finding the actor sees. */
export function visibleFinding(actor: Actor, column: Sql): Sql {
  return sql`exists (select 1 from finding seen where seen.deployment_id = ${actor.deploymentId} and seen.id = ${column}
    and ${visibleTo(actor, sql`seen.repository_id`)})`
}

/** Whether the finding is fixed; null where there is none. */
export function fixedFinding(deployment: Sql, column: Sql): Sql {
  return sql`(select fixable.state = ${codes.state.code('fixed')} from finding fixable
    where fixable.deployment_id = ${deployment} and fixable.id = ${column})`
}
