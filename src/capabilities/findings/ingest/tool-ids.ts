import sql from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

/** What a tool calls findings, and how many go by that name. */
export type ToolId = { toolId: string; count: number }

type Place = { repositoryId: number; source: string; pullRequest: number; refs: readonly string[] }

/**
 * What a source calls the findings that are ignored on these refs and in this pull request. Where several go by one name, only if
 * all of them are: nobody can say which of them a tool will number first.
 */
export function ignoredToolIds(db: Queryable, place: Place, limit: number): Promise<ToolId[]> {
  const { repositoryId, source, pullRequest, refs } = place
  return db.query(sql`select there.id as "toolId", max(there.count)::integer as count
    from finding_stream s
    cross join lateral (select f.content->>'toolId' as id, count(*) as count from finding f
      where f.deployment_id = ${db.deploymentId} and f.stream_id = s.id and f.state < ${stateIs.fixed}
      group by 1 having bool_and(f.state = ${stateIs.ignored})) there
    where there.id is not null and s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.source = ${source}
      and (s.pull_request = 0 and s.ref = any(${refs}::text[]) or s.pull_request > 0 and s.pull_request = ${pullRequest})
    group by 1 order by 1 limit ${limit}`)
}

/** What these findings are called by the tool that found them. */
export function toolIdsOf(db: Queryable, findingIds: readonly number[]): Promise<ToolId[]> {
  return db.query(sql`select f.content->>'toolId' as "toolId", count(*)::integer as count
    from unnest(${findingIds}::bigint[]) as given (id)
    cross join lateral (select f.content from finding f
      where f.deployment_id = ${db.deploymentId} and f.id = given.id offset 0) f
    where f.content ? 'toolId' group by 1 order by 1`)
}
