import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { begins } from '../../../kernel/database/begins.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import { otherSpellings } from '../search/name-spellings.ts'

/**
 * By `package_prefix`, in its order, until enough are found that the actor sees somewhere. `offset 0` keeps the planner from
 * joining all dependencies first. Each spelling of the text is looked for by itself: names are in the order of one of them.
 */
export function findByPrefix(
  db: Queryable,
  actor: Actor,
  text: string,
  limit: number,
): Promise<{ id: string; label: string; detail: string }[]> {
  const beginning = (prefix: string, isOfEcosystem: Sql) => sql`(select p.name, p.ecosystem, p.shown_name from package p
    where p.deployment_id = ${db.deploymentId} and ${begins(sql`p.name`, prefix)} ${isOfEcosystem}
      and exists (select 1 from package_version v
        join dependency d on d.deployment_id = v.deployment_id and d.package_version_id = v.id
        where v.deployment_id = ${db.deploymentId} and v.package_id = p.id and ${visibleTo(actor, sql`d.repository_id`)} offset 0)
    order by p.name collate "C", p.ecosystem limit ${limit})`
  const typed = text.toLowerCase()
  const others = otherSpellings(typed).map(({ ecosystem, part }) =>
    beginning(part, sql`and p.ecosystem = ${ecosystem}`),
  )
  return db.query(sql`select p.ecosystem || '/' || p.name as id, p.shown_name as label, p.ecosystem as detail
    from (${join([beginning(typed, empty), ...others], ' union ')}) p
    order by p.name collate "C", p.ecosystem limit ${limit}`)
}

/** A statement for the names of an ecosystem's packages that fulfil a condition on `name`. */
export function packageNamesWhere(deploymentId: number, ecosystem: string, condition: Sql): Sql {
  return sql`select ecosystem, name from package
    where deployment_id = ${deploymentId} and ecosystem = ${ecosystem} and ${condition}`
}
