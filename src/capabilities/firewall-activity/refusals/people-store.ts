import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type RefusalQuestion, refusalCondition } from './refusal-store.ts'

type RefusedPersonRow = {
  personId: number
  personName: string
  isService: boolean
  count: number
  versionCount: number
  lastAt: Date
}

/** Who was refused what is asked for, the most often first. */
export function refusedPeople(db: Queryable, question: RefusalQuestion, limit: number): Promise<RefusedPersonRow[]> {
  return db.query(sql`select counted.person_id as "personId", coalesce(person.name, '') as "personName",
      coalesce(person.is_service, false) as "isService", counted.count, counted.versions as "versionCount",
      counted.last_at as "lastAt"
    from (select refusal.person_id, sum(refusal.count)::bigint as count, count(distinct refusal.artifact_id) as versions,
        max(refusal.at) as last_at
      from firewall_refusal refusal where ${refusalCondition(db, question)}
      group by refusal.person_id order by count desc, refusal.person_id limit ${limit}) counted
    left join person on person.id = counted.person_id
    order by counted.count desc, counted.person_id`)
}
