import sql, { empty } from 'sql-template-tag'
import { nameOfPerson } from '../../../domain/person-names.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { ListFilter } from '../contract.ts'
import { subjectCondition } from './override-store.ts'

export type ReviewRow = {
  id: number
  advisoryId: string
  ecosystem: EcosystemId
  name: string
  repositoryCount: number
  versions: string[]
  state: 'held' | 'confirmed' | 'released'
  reason: string
  decidedBy: number
  decidedByName: string
  createdAt: Date
  decidedAt: Date | null
}

const columns = sql`id, advisory_id as "advisoryId", ecosystem, name, repository_count as "repositoryCount", versions, state, reason,
  person_id as "decidedBy", ${nameOfPerson(sql`firewall_held.deployment_id`, sql`firewall_held.person_id`)} as "decidedByName",
  created_at as "createdAt", decided_at as "decidedAt"`

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest, filter: ListFilter): Promise<ReviewRow[]> {
  return db.query(sql`select ${columns} from firewall_held
    where deployment_id = ${db.deploymentId} and id > ${after} ${subjectCondition(filter)}
      ${filter.state === undefined ? empty : sql`and state = ${filter.state}`}
    order by id limit ${size + 1}`)
}

export async function decide(
  tx: Transaction,
  id: number,
  { state, reason, at }: { state: 'confirmed' | 'released'; reason: string; at: Date },
): Promise<ReviewRow | undefined> {
  const [row] = await tx.query<ReviewRow>(sql`update firewall_held set state = ${state}, reason = ${reason},
      person_id = ${tx.actor.personId}, decided_at = ${at}
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row
}
