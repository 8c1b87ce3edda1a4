import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'

/** A repository and when its inventory was last replaced; undefined where the actor sees none. */
export async function findInventory(
  db: Queryable,
  actor: Actor,
  id: number,
): Promise<{ name: string; updatedAt: Date | null } | undefined> {
  const [row] = await db.query<{ name: string; updatedAt: Date | null }>(sql`
    select r.name, i.updated_at as "updatedAt" from repository r
    left join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id
    where r.deployment_id = ${db.deploymentId} and r.id = ${id} and ${visibleTo(actor, sql`r.id`)}`)
  return row
}

export type LockfileRow = {
  path: string
  format: string
  bytes: number
  dependency_count: number
  problem_count: number
  statement_count: number
  has_graph: boolean
  scan_id: number
}

export function listLockfiles(db: Queryable, repositoryId: number): Promise<LockfileRow[]> {
  return db.query(sql`select path, format, bytes, dependency_count, problem_count, statement_count, has_graph,
      scan_id from lockfile
    where deployment_id = ${db.deploymentId} and repository_id = ${repositoryId} order by path`)
}
