import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

export type RecordedInPullRequests = { rule: string; repositoryId: number; pullRequest: number; findings: number }

/** What pull requests brought since then, of secrets or of everything that policies about code decide on. */
export function recordedInPullRequests(
  db: Queryable,
  actor: Actor,
  { secrets, since, limit }: { secrets: boolean; since: Date; limit: number },
): Promise<RecordedInPullRequests[]> {
  const secret = codes.product.code('secrets')
  const ofKind = secrets ? sql`f.product = ${secret}` : sql`f.product not in (${secret}, ${codes.product.code('sca')})`
  return db.query(sql`select rule.external_id as rule, sums.repository_id as "repositoryId",
      sums.pull_request as "pullRequest", sums.findings
    from (select f.rule_id, f.repository_id, f.pull_request, count(*) as findings from finding f
      where f.deployment_id = ${db.deploymentId} and f.raised_at >= ${since} and f.pull_request > 0 and ${ofKind}
        and ${visibleTo(actor, sql`f.repository_id`)}
      group by f.rule_id, f.repository_id, f.pull_request limit ${limit}) sums
    join finding_rule rule on rule.deployment_id = ${db.deploymentId} and rule.id = sums.rule_id`)
}
