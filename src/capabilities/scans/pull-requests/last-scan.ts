import sql, { empty, type Sql } from 'sql-template-tag'
import { isStanding } from '../../findings/public.ts'
import type { PullRequestQuery } from './pull-request-contract.ts'

/**
 * That `s` is the last scan of a pull request in this state, as a condition. Each is looked up by an index (`offset 0`), none are
 * joined.
 */
export function isLastOfPullRequest(
  deploymentId: number,
  { blocked, over }: Pick<PullRequestQuery, 'blocked' | 'over'>,
): Sql {
  const standing = isStanding(deploymentId, sql`s.repository_id`, sql`s.pull_request`)
  return sql`s.pull_request > 0
    ${blocked === undefined ? empty : blocked === 'true' ? sql`and s.blocked` : sql`and not s.blocked`}
    ${over === undefined ? empty : over === 'true' ? sql`and not ${standing}` : sql`and ${standing}`}
    and not exists (select 1 from scan newer where newer.deployment_id = ${deploymentId}
      and newer.repository_id = s.repository_id and newer.pull_request = s.pull_request and newer.pull_request > 0
      and newer.id > s.id offset 0)`
}

/** That `s` is the last scan of a pull request that it blocks and that is not over, which is what everybody counts. */
export function blocksPullRequest(deploymentId: number): Sql {
  return isLastOfPullRequest(deploymentId, waiting)
}

/** Pull requests that wait for somebody. */
export const waiting = { blocked: 'true', over: 'false' } as const
