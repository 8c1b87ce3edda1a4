import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'

/** What one source says about one ref of a repository, or about one of its pull requests. */
type StreamPlace = { repositoryId: number; ref: string; pullRequest: number; source: string }

/** Whether the source ever said anything there. */
export async function wasObserved(db: Queryable, place: StreamPlace): Promise<boolean> {
  const rows = await db.query(sql`select from finding_stream s where ${isAt(db, place)}`)
  return rows.length > 0
}

type StandingFinding = { fingerprint: string; path: string; vulnerabilityIds: string[] }

/** What is not fixed there. */
export function listStandingFindings(db: Queryable, place: StreamPlace): Promise<StandingFinding[]> {
  return db.query(sql`select f.fingerprint, f.path, f.vulnerability_ids as "vulnerabilityIds"
    from finding_stream s join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <> 7
    where ${isAt(db, place)}`)
}

function isAt(db: Queryable, { repositoryId, ref, pullRequest, source }: StreamPlace) {
  return sql`s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
    and (case when s.pull_request = 0 then s.ref else '' end) = ${pullRequest === 0 ? ref : ''} and s.source = ${source}`
}
