import sql from 'sql-template-tag'
import type { State } from '../../../domain/finding-codes.ts'
import * as codes from '../../../domain/finding-codes.ts'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

export type DependencyDecision = {
  id: number
  ecosystem: string
  name: string
  version: string
  vulnerabilityIds: string[]
  state: State
  reason: (typeof codes.reason.words)[number]
}

/** What stands of the findings that advisories raised on the branches of a repository, and how people see it. */
export async function listDependencyDecisions(db: Queryable, repositoryId: number): Promise<DependencyDecision[]> {
  const rows = await db.query<Omit<DependencyDecision, 'state' | 'reason'> & { state: number; reason: number }>(sql`
    select f.id, coalesce(f.content->'dependency'->>'ecosystem', '') as ecosystem,
      coalesce(f.content->'dependency'->>'name', '') as name,
      coalesce(f.content->'dependency'->>'version', '') as version, f.vulnerability_ids as "vulnerabilityIds", f.state, f.reason
    from finding_stream s join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id
      and f.state not in (${stateIs.fixed}, ${stateIs.ended})
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0
      and s.source = 'osv'`)
  return rows.map(({ state, reason, ...row }) => ({
    ...row,
    state: codes.state.word(state),
    reason: codes.reason.word(reason),
  }))
}
