import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database/database.ts'
import type { RuleboardType } from './contract.ts'

export type ApplyingBoard = { slug: string; name: string; type: RuleboardType; assigned: boolean }

/** Those that claim the repository, and of each type that none claims it for, the default one. */
export function boardsFor(db: Queryable, repositoryId: number): Promise<ApplyingBoard[]> {
  const claimed = sql`select claim.ruleboard_id from ruleboard_repository claim
    where claim.deployment_id = ${db.deploymentId} and claim.repository_id = ${repositoryId}`
  return db.query(sql`select b.slug, b.name, b.type, b.id in (${claimed}) as assigned from ruleboard b
    where b.deployment_id = ${db.deploymentId} and (b.id in (${claimed}) or b.is_default and not exists (
      select from ruleboard other where other.deployment_id = ${db.deploymentId} and other.type = b.type
        and other.id <> b.id and other.id in (${claimed})))
    order by b.type, b.id`)
}
