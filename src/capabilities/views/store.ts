import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { NewView, Preferences, ViewChanges } from './contract.ts'

export type ViewRow = {
  id: number
  page: 'findings' | 'issues'
  owner_id: number
  owner_name: string
  name: string
  search: string
  shared: boolean
  version: number
  created_at: Date
}

const columns = sql`v.id, v.page, v.owner_id, v.owner_name, v.name, v.search, v.shared, v.version, v.created_at`

/** Others see what is shared, and nothing else. */
const visible = (actor: Actor) => sql`(v.shared or v.owner_id = ${actor.personId})`

export function list(db: Queryable, actor: Actor, page: string | undefined): Promise<ViewRow[]> {
  const pages = page ? [page] : ['findings', 'issues']
  return db.query(sql`select ${columns} from saved_view v
    where v.deployment_id = ${db.deploymentId} and v.page = any(${pages}::text[]) and ${visible(actor)}
    order by lower(v.name), v.id`)
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<ViewRow | undefined> {
  const [row] = await db.query<ViewRow>(sql`select ${columns} from saved_view v
    where v.deployment_id = ${db.deploymentId} and v.id = ${id} and ${visible(actor)}`)
  return row
}

export async function lock(tx: Transaction, actor: Actor, id: number): Promise<ViewRow | undefined> {
  const [row] = await tx.query<ViewRow>(sql`select ${columns} from saved_view v
    where v.deployment_id = ${tx.deploymentId} and v.id = ${id} and ${visible(actor)} for update of v`)
  return row
}

/** Nobody else adds views of the deployment until the transaction ends: how many there are is then true. */
export async function holdViews(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('saved_view', ${tx.deploymentId}::bigint))`)
}

export async function countViews(tx: Transaction, actor: Actor): Promise<{ own: number; shared: number }> {
  const [row] = await tx.query<{ own: number; shared: number }>(sql`select
      count(*) filter (where v.owner_id = ${actor.personId}) as own, count(*) filter (where v.shared) as shared
    from saved_view v where v.deployment_id = ${tx.deploymentId} and ${visible(actor)}`)
  return row!
}

/** Another view of that name among those it would stand with: the shared ones, or one's own. */
export async function hasNamesake(
  tx: Transaction,
  { ownerId, page, name, shared, not }: { ownerId: number; page: string; name: string; shared: boolean; not: number },
): Promise<boolean> {
  const beside = shared ? sql`v.shared` : sql`v.owner_id = ${ownerId} and not v.shared`
  const rows = await tx.query(sql`select 1 from saved_view v where v.deployment_id = ${tx.deploymentId}
    and v.page = ${page} and lower(v.name) = lower(${name}) and v.id <> ${not} and ${beside} limit 1`)
  return rows.length > 0
}

export async function insert(tx: Transaction, view: NewView): Promise<ViewRow> {
  const { personId } = tx.actor
  const [row] = await tx.query<ViewRow>(sql`insert into saved_view as v
      (deployment_id, page, owner_id, owner_name, name, search, shared)
    select ${tx.deploymentId}::bigint, ${view.page}, ${personId}::bigint,
      coalesce((select person.name from person where person.id = ${personId}), ''), ${view.name}, ${view.search},
      ${view.shared}::boolean
    returning ${columns}`)
  return row!
}

export async function update(tx: Transaction, id: number, { name, search, shared }: ViewChanges): Promise<ViewRow> {
  const [row] = await tx.query<ViewRow>(sql`update saved_view v
    set name = ${name}, search = ${search}, shared = ${shared}, version = v.version + 1
    where v.deployment_id = ${tx.deploymentId} and v.id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from saved_view where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export type PreferenceRow = { content: Preferences; version: number }

export async function findPreferences(db: Queryable, personId: number, lock = false): Promise<PreferenceRow> {
  const [row] = await db.query<PreferenceRow>(sql`select p.content, p.version from person_preference p
    where p.deployment_id = ${db.deploymentId} and p.person_id = ${personId} ${lock ? sql`for update of p` : sql``}`)
  return row ?? { content: {}, version: 0 }
}

export async function savePreferences(tx: Transaction, content: Preferences): Promise<PreferenceRow> {
  const [row] = await tx.query<PreferenceRow>(sql`insert into person_preference as p (deployment_id, person_id, content)
    values (${tx.deploymentId}, ${tx.actor.personId}, ${JSON.stringify(content)}::jsonb)
    on conflict (deployment_id, person_id) do update set content = excluded.content, version = p.version + 1
    returning p.content, p.version`)
  return row!
}
