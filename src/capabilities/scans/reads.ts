import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/actor.ts'
import type { Queryable } from '../../kernel/database.ts'
import { visibleTo } from '../repositories/reads.ts'

export type LastScan = {
  id: number
  createdAt: Date
  ref: string
  pullRequest: number
  repository: { id: number; name: string; tags: string[] }
}

/** The last scans of repositories that the actor sees, newest first. */
export function lastScans(db: Queryable, actor: Actor, count: number): Promise<LastScan[]> {
  return db.query(sql`select s.id, s.created_at as "createdAt", s.ref, s.pull_request as "pullRequest",
      jsonb_build_object('id', r.id, 'name', r.name, 'tags', array(
        select tag.name from repository_tag held
        join tag on tag.deployment_id = held.deployment_id and tag.id = held.tag_id
        where held.deployment_id = r.deployment_id and held.repository_id = r.id order by tag.name)) as repository
    from scan s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
    where s.deployment_id = ${db.deploymentId} and ${visibleTo(actor, sql`s.repository_id`)}
    order by s.id desc limit ${count}`)
}
