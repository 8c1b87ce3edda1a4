import sql, { empty, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

/** What one source says about one ref of a repository, or about one of its pull requests. */
type StreamPlace = { repositoryId: number; ref: string; pullRequest: number; source: string }

/** Whether the source ever said anything there. */
export async function wasObserved(db: Queryable, place: StreamPlace): Promise<boolean> {
  const rows = await db.query(sql`select from finding_stream s where ${isAt(db, place)}`)
  return rows.length > 0
}

/** Whether there is anything that is not fixed there. */
export async function hasStanding(db: Queryable, place: StreamPlace): Promise<boolean> {
  const rows = await db.query(sql`select from finding_stream s cross join lateral (select from finding f
      where f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <> ${stateIs.fixed} limit 1) f
    where ${isAt(db, place)}`)
  return rows.length > 0
}

/** How many findings that advisories have raised are open where the scan `s` was made, as an expression. */
export function openByAdvisories(deploymentId: number): Sql {
  return sql`(select count(*)::integer from finding_stream stream
    join finding f on f.deployment_id = stream.deployment_id and f.stream_id = stream.id and f.state <= ${stateIs.lastOpen}
    where stream.deployment_id = ${deploymentId} and stream.repository_id = s.repository_id
      and stream.pull_request = s.pull_request and stream.source in ('osv', 'malware')
      and (case when stream.pull_request = 0 then stream.ref else '' end) = case when s.pull_request = 0 then s.ref else '' end)`
}

type StandingFinding = { fingerprint: string; path: string; vulnerabilityIds: string[] }

/** What is not fixed there. */
export function listStoredFindings(db: Queryable, place: StreamPlace): Promise<StandingFinding[]> {
  return db.query(sql`select f.fingerprint, f.path, f.vulnerability_ids as "vulnerabilityIds"
    from finding_stream s join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <> ${stateIs.fixed}
    where ${isAt(db, place)}`)
}

/** By the ids of findings, what their vulnerabilities were called when they were last seen. */
export async function listVulnerabilityIds(db: Queryable, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.query<{ id: number; vulnerabilityIds: string[] }>(sql`select f.id,
      f.vulnerability_ids as "vulnerabilityIds"
    from unnest(${ids}::bigint[]) as given (id)
    cross join lateral (select f.id, f.vulnerability_ids from finding f
      where f.deployment_id = ${db.deploymentId} and f.id = given.id offset 0) f`)
  return new Map(rows.map((row) => [row.id, row.vulnerabilityIds]))
}

function isAt(db: Queryable, { repositoryId, ref, pullRequest, source }: StreamPlace) {
  return sql`s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
    and (case when s.pull_request = 0 then s.ref else '' end) = ${pullRequest === 0 ? ref : ''} and s.source = ${source}`
}

/** Whether a pull request is not over, as a condition: of one that is over, every stream has ended. */
export function isStanding(deploymentId: number, repositoryId: Sql, pullRequest: Sql): Sql {
  return sql`exists (select 1 from finding_stream stream where stream.deployment_id = ${deploymentId}
    and stream.repository_id = ${repositoryId} and stream.pull_request = ${pullRequest} and stream.pull_request > 0
    and stream.ended_at is null offset 0)`
}

type EndedPlace = { repositoryId: Sql; ref: Sql; pullRequest: Sql }

/** Whether a branch or pull request was ended since then and what ended has not been scanned again, as a condition. */
export function endedSince(deploymentId: number, { repositoryId, ref, pullRequest }: EndedPlace, moment: Sql): Sql {
  return sql`exists (select 1 from finding_stream stream where stream.deployment_id = ${deploymentId}
    and stream.repository_id = ${repositoryId} and stream.pull_request = ${pullRequest}
    and (stream.pull_request > 0 or stream.ref = ${ref}) and stream.ended_at >= ${moment})`
}

/** How many findings of a pull request stand `open`, and how many of these are `shown` there. */
export function openInPullRequest(deploymentId: number, repositoryId: Sql, pullRequest: Sql): Sql {
  return sql`select coalesce(sum(counted.open), 0)::bigint as open, coalesce(sum(counted.shown), 0)::bigint as shown
    from finding_stream stream cross join lateral (
      select count(*) as open, count(*) filter (where not f.silenced) as shown from finding f
      where f.deployment_id = ${deploymentId} and f.stream_id = stream.id and f.state <= 4) counted
    where stream.deployment_id = ${deploymentId} and stream.repository_id = ${repositoryId}
      and stream.pull_request = ${pullRequest}`
}

/** The branches of a repository, which is a query of its `id` and `default_branch`: the last one that was new first. */
export function branchesOf(deploymentId: number, repository: Sql, page: { after: number; size: number }): Sql {
  return sql`select branch.*, counted.open from (
      select max(s.id) as id, s.ref, s.ref = r.default_branch as is_default, bool_and(s.ended_at is not null) as over,
        max(s.observed_at) as at, array_agg(s.id) as streams
      from (${repository}) r
      join finding_stream s on s.deployment_id = ${deploymentId} and s.repository_id = r.id and s.pull_request = 0
      group by s.ref, r.default_branch ${page.after > 0 ? sql`having max(s.id) < ${page.after}` : empty}
      order by 1 desc limit ${page.size + 1}) branch
    cross join lateral (select count(*) as open from unnest(branch.streams) as stream (id)
      join finding f on f.deployment_id = ${deploymentId} and f.stream_id = stream.id
        and f.state <= ${stateIs.lastOpen}) counted
    order by branch.id desc`
}

/** By repository, the scans that findings of a source and ref were last read from. */
export function scansOfStreams(deploymentId: number): Sql {
  return sql`(select s.repository_id, s.scan_id from finding_stream s where s.deployment_id = ${deploymentId})`
}
