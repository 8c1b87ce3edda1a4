import sql from 'sql-template-tag'
import { nameOfPerson } from '../../domain/person-names.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { ClaimedEcosystem } from './contract.ts'

export type ClaimFields = { ecosystem: ClaimedEcosystem; pattern: string; registryId: number | null; reason: string }
export type ClaimRow = ClaimFields & { id: number; createdBy: number; createdByName: string; createdAt: Date }

const columns = sql`id, ecosystem, pattern, registry_id as "registryId", reason, person_id as "createdBy",
  ${nameOfPerson(sql`package_claim.deployment_id`, sql`package_claim.person_id`)} as "createdByName", created_at as "createdAt"`

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest): Promise<ClaimRow[]> {
  return db.query(sql`select ${columns} from package_claim
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${size + 1}`)
}

export async function count(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::integer as count from package_claim
    where deployment_id = ${db.deploymentId}`)
  return row!.count
}

/** Undefined where the same is claimed already. */
export async function insert(tx: Transaction, fields: ClaimFields): Promise<ClaimRow | undefined> {
  const { ecosystem, pattern, registryId, reason } = fields
  const [made] = await tx.query<{ id: number }>(sql`insert into package_claim
      (deployment_id, ecosystem, pattern, registry_id, reason, person_id)
    values (${tx.deploymentId}, ${ecosystem}, ${pattern}, ${registryId}, ${reason}, ${tx.actor.personId})
    on conflict do nothing returning id`)
  return made && find(tx, made.id)
}

async function find(tx: Transaction, id: number): Promise<ClaimRow | undefined> {
  const [row] = await tx.query<ClaimRow>(sql`select ${columns} from package_claim
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
  return row
}

export async function remove(tx: Transaction, id: number): Promise<ClaimRow | undefined> {
  const row = await find(tx, id)
  const gone = await tx.query(sql`delete from package_claim
    where deployment_id = ${tx.deploymentId} and id = ${id} returning 1`)
  return gone.length > 0 ? row : undefined
}
