import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { begins } from '../../../kernel/database/begins.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

/**
 * By `package_prefix`, in its order, until enough are found that the actor sees somewhere. `offset 0` keeps the planner from
 * joining all dependencies first.
 */
export function findByPrefix(
  db: Queryable,
  actor: Actor,
  text: string,
  limit: number,
): Promise<{ id: string; label: string; detail: string }[]> {
  return db.query(sql`select p.ecosystem || '/' || p.name as id, p.shown_name as label, p.ecosystem as detail
    from package p where p.deployment_id = ${db.deploymentId} and ${begins(sql`p.name`, text.toLowerCase())}
      and exists (select 1 from package_version v
        join dependency d on d.deployment_id = v.deployment_id and d.package_version_id = v.id
        where v.deployment_id = ${db.deploymentId} and v.package_id = p.id and ${visibleTo(actor, sql`d.repository_id`)} offset 0)
    order by p.name collate "C", p.ecosystem limit ${limit}`)
}

/** A statement for the names of an ecosystem's packages that fulfil a condition on `name`. */
export function packageNamesWhere(deploymentId: number, ecosystem: string, condition: Sql): Sql {
  return sql`select ecosystem, name from package
    where deployment_id = ${deploymentId} and ecosystem = ${ecosystem} and ${condition}`
}
