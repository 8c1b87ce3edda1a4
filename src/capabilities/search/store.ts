import sql, { join, type Sql } from 'sql-template-tag'
import { writtenAs } from '../../domain/vulnerability-id.ts'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { begins } from '../../kernel/database/begins.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'

export const most = 5
type Hit = { id: string; label: string; detail: string }

/** One pass over the repositories of the deployment, which are few. */
export function repositories(db: Queryable, actor: Actor, text: string): Promise<Hit[]> {
  const words = text.toLowerCase()
  return db.query(sql`select r.id::text as id, r.name as label, case when r.archived then 'archived' else '' end as detail
    from repository r where r.deployment_id = ${db.deploymentId} and strpos(lower(r.name), ${words}) > 0
      and ${visibleTo(actor, sql`r.id`)}
    order by r.archived, strpos(lower(r.name), ${words}), r.name limit ${most}`)
}

const advisorySources = sql`('osv', 'malware')`

/** By `finding_rule_prefix`: the vulnerabilities that something was found about. */
export function vulnerabilities(db: Queryable, actor: Actor, text: string): Promise<Hit[]> {
  const named = writtenAs(text).map((id) => begins(sql`r.external_id`, id))
  return db.query(sql`select r.external_id as id, r.external_id as label, r.title as detail from finding_rule r
    where r.deployment_id = ${db.deploymentId} and r.source = 'osv' and (${join(named, ' or ')})
      and ${foundIn(db, actor)}
    order by r.external_id collate "C" limit ${most}`)
}

/** One pass over the rules of the deployment, which are thousands at most beside those of advisories. */
export function rules(db: Queryable, actor: Actor, text: string): Promise<Hit[]> {
  const words = text.toLowerCase()
  return db.query(sql`select r.external_id as id, r.external_id as label, r.source as detail from finding_rule r
    where r.deployment_id = ${db.deploymentId} and r.source not in ${advisorySources}
      and strpos(lower(r.external_id), ${words}) > 0 and ${foundIn(db, actor)}
    order by strpos(lower(r.external_id), ${words}), r.external_id, r.source limit ${most}`)
}

/** A rule is known to whoever sees a finding of it. */
function foundIn(db: Queryable, actor: Actor): Sql {
  if (seesEverything(actor)) return sql`true`
  return sql`exists (select 1 from finding f where f.deployment_id = ${db.deploymentId} and f.rule_id = r.id
    and ${visibleTo(actor, sql`f.repository_id`)} offset 0)`
}

export function people(db: Queryable, text: string): Promise<Hit[]> {
  const words = text.toLowerCase()
  return db.query(sql`select person.id::text as id, person.name as label, person.email as detail
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and not person.is_service
      and (strpos(lower(person.name), ${words}) > 0 or strpos(lower(person.email), ${words}) > 0)
    order by strpos(lower(person.name), ${words}) = 0, person.name, person.id limit ${most}`)
}
