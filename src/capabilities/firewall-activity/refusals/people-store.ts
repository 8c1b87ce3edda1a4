import sql from 'sql-template-tag'
import { nameOfPerson } from '../../../domain/person-names.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type RefusalQuestion, refusalCondition, sumCondition } from './refusal-condition.ts'
import { piecesOf } from './rollup/spans.ts'

type RefusedPersonRow = {
  personId: number
  personName: string
  isService: boolean
  count: number
  versionCount: number
  lastAt: Date
}

/** Who was refused what is asked for, the most often first. By what is added up, and by the refusals where nothing is yet. */
export function refusedPeople(db: Queryable, question: RefusalQuestion, limit: number): Promise<RefusedPersonRow[]> {
  return db.query(sql`with ${piecesOf(db, question)},
    versions as materialized (
      select person_id, artifact_id, sum(count) as count, max(last_at) as last_at from (
        select refused.* from piece cross join lateral (
          select refusal.person_id, refusal.artifact_id, refusal.count, refusal.last_at from firewall_refusal_sum refusal
          where refusal.grain = piece.grain and refusal.start = piece.start and ${sumCondition(db, question)} offset 0) refused
        union all
        select refused.* from piece cross join lateral (
          select refusal.person_id, refusal.artifact_id, refusal.count, refusal.at from firewall_refusal refusal
          where refusal.at >= piece.start and refusal.at < piece.until and ${refusalCondition(db, question)} offset 0) refused
        where piece.grain is null) refused
      group by person_id, artifact_id)
    select counted.person_id as "personId", ${nameOfPerson(db.deploymentId, sql`counted.person_id`)} as "personName",
      coalesce(person.is_service, false) as "isService", counted.count, counted.versions as "versionCount",
      counted.last_at as "lastAt"
    from (select person_id, sum(count)::bigint as count, count(*) as versions, max(last_at) as last_at
      from versions group by person_id order by count desc, person_id limit ${limit}) counted
    left join person on person.id = counted.person_id
    order by counted.count desc, counted.person_id`)
}
