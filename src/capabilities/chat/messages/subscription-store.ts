import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

export type Wishes = { events: string[]; severities: string[]; products: string[]; repositoryIds: string[] }
export type SubscriptionRow = Wishes & {
  id: number
  channel: string
  channelName: string
  createdAt: Date
  version: number
}

export const mostSubscriptions = 500

const columns = sql`id, channel_id as channel, channel_name as "channelName", events, severities, products,
  repository_ids::text[] as "repositoryIds", created_at as "createdAt", version`

/** Of the repositories it is about those that the actor sees. */
export function list(db: Queryable, actor: Actor): Promise<SubscriptionRow[]> {
  const seen = sql`array(select repository_id from unnest(repository_ids) as named (repository_id)
    where ${visibleTo(actor, sql`named.repository_id`)})::text[]`
  return db.query(sql`select ${columns}, ${seen} as "repositoryIds" from chat_subscription
    where deployment_id = ${db.deploymentId} order by id limit ${mostSubscriptions}`)
}

export function listFor(db: Queryable, event: string): Promise<SubscriptionRow[]> {
  return db.query(sql`select ${columns} from chat_subscription
    where deployment_id = ${db.deploymentId} and ${event} = any(events) order by id`)
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<SubscriptionRow | undefined> {
  const [row] = await tx.query<SubscriptionRow>(sql`select ${columns} from chat_subscription
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

/** Undefined where the channel has one already. */
export async function insert(
  tx: Transaction,
  channel: { id: string; name: string },
  wishes: Wishes,
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx.query<SubscriptionRow>(sql`insert into chat_subscription
      (deployment_id, channel_id, channel_name, events, severities, products, repository_ids)
    values (${tx.deploymentId}, ${channel.id}, ${channel.name}, ${wishes.events}, ${wishes.severities},
      ${wishes.products}, ${wishes.repositoryIds}::bigint[])
    on conflict (deployment_id, channel_id) do nothing returning ${columns}`)
  return row
}

export async function update(tx: Transaction, id: number, wishes: Wishes): Promise<SubscriptionRow> {
  const [row] = await tx.query<SubscriptionRow>(sql`update chat_subscription set events = ${wishes.events},
      severities = ${wishes.severities}, products = ${wishes.products},
      repository_ids = ${wishes.repositoryIds}::bigint[], version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from chat_subscription where deployment_id = ${tx.deploymentId} and id = ${id}`)
}
