import sql, { empty, type Sql } from 'sql-template-tag'
import { nameOfPerson } from '../../../domain/person-names.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

export type OverrideFields = {
  ecosystem: EcosystemId
  name: string
  version: string
  effect: 'allow' | 'deny'
  reason: string
  expiresAt: Date | null
}
export type OverrideRow = OverrideFields & { id: number; createdBy: number; createdByName: string; createdAt: Date }
export type OverrideFilter = {
  package?: string
  ecosystem?: EcosystemId
  /** Any of them. */
  names?: readonly string[] | undefined
  personId?: number
  state?: string
  now: Date
}

const stored = sql`id, ecosystem, name, version, effect, reason, person_id as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt"`
const creator = nameOfPerson(sql`firewall_override.deployment_id`, sql`firewall_override.person_id`)
const columns = sql`${stored}, ${creator} as "createdByName"`

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest, filter: OverrideFilter): Promise<OverrideRow[]> {
  const { ecosystem, names, state, now } = filter
  const expired = sql`(expires_at is not null and expires_at <= ${now})`
  return db.query(sql`select ${columns} from firewall_override
    where deployment_id = ${db.deploymentId} and id > ${after} ${subjectCondition(filter)}
      ${ecosystem === undefined ? empty : sql`and ecosystem = ${ecosystem}`}
      ${names === undefined ? empty : sql`and name = any(${names})`}
      ${state === undefined ? empty : state === 'expired' ? sql`and ${expired}` : sql`and not ${expired}`}
    order by id limit ${size + 1}`)
}

/** About a package whose name has that in it, and of a person. */
export function subjectCondition({ package: text, personId }: { package?: string; personId?: number }): Sql {
  const named = text ? sql`and strpos(lower(name), lower(${text})) > 0` : empty
  return personId === undefined ? named : sql`${named} and person_id = ${personId}`
}

/** An expired one about the same makes room; undefined where one is in force. */
export async function insert(tx: Transaction, fields: OverrideFields, now: Date): Promise<OverrideRow | undefined> {
  const { ecosystem, name, version, effect, reason, expiresAt } = fields
  await tx.query(sql`delete from firewall_override where deployment_id = ${tx.deploymentId} and ecosystem = ${ecosystem}
    and name = ${name} and version = ${version} and effect = ${effect} and expires_at <= ${now}`)
  const [row] = await tx.query<OverrideRow>(sql`with made as (insert into firewall_override
      (deployment_id, ecosystem, name, version, effect, reason, person_id, created_at, expires_at)
    values (${tx.deploymentId}, ${ecosystem}, ${name}, ${version}, ${effect}, ${reason}, ${tx.actor.personId}, ${now},
      ${expiresAt})
    on conflict do nothing returning ${stored})
    select made.*, coalesce((select person.name from person where person.id = ${tx.actor.personId}), '') as "createdByName"
    from made`)
  return row
}

export async function remove(tx: Transaction, id: number): Promise<OverrideRow | undefined> {
  const [row] = await tx.query<OverrideRow>(sql`delete from firewall_override
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row
}
