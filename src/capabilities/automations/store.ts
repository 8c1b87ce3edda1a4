import sql, { type Sql } from 'sql-template-tag'
import { emailOfPerson } from '../../domain/person-names.ts'
import type { TriggerSource } from '../../domain/trigger-event.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { ActionType, ShownConfig } from './automation.ts'
import type { Filters } from './rules/evaluate.ts'

export type ActionRow = { id: number; type: ActionType; config: ShownConfig }

export type AutomationRow = {
  id: number
  name: string
  description: string
  active: boolean
  triggerSource: TriggerSource
  filters: Filters
  createdBy: string
  createdAt: Date
  updatedBy: string
  updatedAt: Date
  version: number
  actions: ActionRow[]
}

export type AutomationFields = Pick<AutomationRow, 'name' | 'description' | 'active' | 'triggerSource' | 'filters'>

const columns = sql`a.id, a.name, a.description, a.active, a.trigger_source as "triggerSource", a.filters,
  ${emailOfPerson(sql`a.deployment_id`, sql`a.created_by`)} as "createdBy", a.created_at as "createdAt",
  ${emailOfPerson(sql`a.deployment_id`, sql`a.updated_by`)} as "updatedBy", a.updated_at as "updatedAt",
  a.version,
  coalesce((select jsonb_agg(jsonb_build_object('id', o.id, 'type', o.type, 'config', o.config) order by o.position)
    from automation_action o where o.deployment_id = a.deployment_id and o.automation_id = a.id), '[]') as actions`

/** Taken before the row is there: its secret is sealed for it, outside the transaction that inserts it. */
export async function nextActionIds(db: { query: IdentityQueryable['query'] }, count: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`select nextval('automation_action_id_seq') as id from generate_series(1, ${count})`,
  )
  return rows.map(({ id }) => id)
}

export function list(db: Queryable): Promise<AutomationRow[]> {
  return select(db, sql`true`)
}

/** Those that wait for an event, in the order in which they act. */
export function listWaiting(db: Queryable, source: TriggerSource): Promise<AutomationRow[]> {
  return select(db, sql`a.active and a.trigger_source = ${source}`)
}

export async function find(db: Queryable, id: number): Promise<AutomationRow | undefined> {
  const [row] = await select(db, sql`a.id = ${id}`)
  return row
}

function select(db: Queryable, which: Sql): Promise<AutomationRow[]> {
  return db.query(sql`select ${columns} from automation a
    where a.deployment_id = ${db.deploymentId} and ${which} order by a.id`)
}

/** Held until the transaction ends, with its actions: a rotation of keys takes those alone, and seals their secrets again. */
export async function lock(tx: Transaction, id: number): Promise<AutomationRow | undefined> {
  await tx.query(sql`select 1 from automation where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  await tx.query(sql`select 1 from automation_action where deployment_id = ${tx.deploymentId} and automation_id = ${id}
    order by id for update`)
  return find(tx, id)
}

export function listFilters(db: Queryable): Promise<{ id: number; filters: Filters }[]> {
  return db.query(sql`select id, filters from automation where deployment_id = ${db.deploymentId}`)
}

export async function count(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) from automation where deployment_id = ${db.deploymentId}`,
  )
  return row!.count
}

export async function insert(tx: Transaction, fields: AutomationFields): Promise<number> {
  const { name, description, active, triggerSource, filters } = fields
  const { personId } = tx.actor
  const [row] = await tx.query<{ id: number }>(sql`insert into automation
      (deployment_id, name, description, active, trigger_source, filters, created_by, updated_by)
    values (${tx.deploymentId}, ${name}, ${description}, ${active}, ${triggerSource}, ${JSON.stringify(filters)},
      ${personId}, ${personId}) returning id`)
  return row!.id
}

export async function update(tx: Transaction, id: number, fields: AutomationFields): Promise<void> {
  const { name, description, active, triggerSource, filters } = fields
  await tx.query(sql`update automation set name = ${name}, description = ${description}, active = ${active},
      trigger_source = ${triggerSource}, filters = ${JSON.stringify(filters)}, updated_by = ${tx.actor.personId},
      updated_at = statement_timestamp(), version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from automation where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export type NewAction = ActionRow & { secret: SealedValue | undefined }

/** Without a secret, the stored one of the action with that id stays. What is not in the list goes. */
export async function replaceActions(
  tx: Transaction,
  automationId: number,
  actions: readonly NewAction[],
): Promise<void> {
  const rows = actions.map((action, position) => ({ ...action, position, secret: action.secret ?? null }))
  await tx.query(sql`delete from automation_action where deployment_id = ${tx.deploymentId}
    and automation_id = ${automationId} and id <> all(${actions.map(({ id }) => id)}::bigint[])`)
  await tx.query(sql`insert into automation_action as o
      (deployment_id, id, automation_id, position, type, config, secret)
    select ${tx.deploymentId}::bigint, given.id, ${automationId}::bigint, given.position, given.type, given.config,
      coalesce(nullif(given.secret, 'null'), (select former.secret from automation_action former
        where former.deployment_id = ${tx.deploymentId} and former.id = given.id))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id bigint, position integer, type text, config jsonb, secret jsonb)
    on conflict (deployment_id, id) do update set position = excluded.position, config = excluded.config,
      secret = excluded.secret where o.automation_id = excluded.automation_id`)
}

export type OrderedAction = ActionRow & { automationId: number; automationName: string; secret: SealedValue | null }

export async function findAction(db: Queryable, id: number): Promise<OrderedAction | undefined> {
  const [row] = await db.query<OrderedAction>(sql`select o.id, o.type, o.config, o.secret, a.id as "automationId",
      a.name as "automationName"
    from automation_action o join automation a on a.deployment_id = o.deployment_id and a.id = o.automation_id
    where o.deployment_id = ${db.deploymentId} and o.id = ${id}`)
  return row
}
