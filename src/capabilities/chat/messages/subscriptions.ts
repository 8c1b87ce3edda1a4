import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { unknownRepositories, withIds } from '../../repositories/public.ts'
import type { Installed } from '../installation/installed.ts'
import { channelName } from './channels.ts'
import { ChatError, faultFor } from './chat-error.ts'
import type { ChatSubscription, ChatSubscriptionChanges, NewChatSubscription } from './subscription-contract.ts'
import * as store from './subscription-store.ts'

export type SubscriptionService = ReturnType<typeof createSubscriptionService>

export function createSubscriptionService({ db, installed }: { db: Database; installed: Installed }) {
  async function list(actor: Actor): Promise<ChatSubscription[]> {
    return (await store.list(db.as(actor), actor)).map(shown)
  }

  async function create(actor: Actor, { channel, ...sent }: NewChatSubscription): Promise<ChatSubscription> {
    const wishes = { severities: [], products: [], repositoryIds: [], ...sent }
    const name = await nameOf(actor, channel)
    return db.transaction(actor, async (tx) => {
      await requireRepositories(tx, actor, wishes.repositoryIds)
      if ((await store.list(tx, actor)).length >= store.mostSubscriptions) {
        throw new Fault(
          'unprocessable',
          `A deployment has at most ${store.mostSubscriptions} chat subscriptions; delete one first.`,
        )
      }
      const row = await store.insert(tx, { id: channel, name }, wishes)
      if (!row) throw new Fault('conflict', `The channel '${channel}' already has a subscription.`)
      tx.audit({ action: 'chat-subscription.create', target: targetOf(row.id), detail: { channel, ...wishes } })
      return shown(row)
    })
  }

  function update(actor: Actor, id: number, sent: ChatSubscriptionChanges): Promise<ChatSubscription> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await requireRepositories(tx, actor, sent.repositoryIds ?? [])
      const { events, severities, products, repositoryIds } = { ...row, ...sent }
      const changed = await store.update(tx, id, { events, severities, products, repositoryIds })
      tx.audit({ action: 'chat-subscription.update', target: targetOf(id), detail: { fields: Object.keys(sent) } })
      return shown(changed)
    })
  }

  function remove(actor: Actor, id: number): Promise<ChatSubscription> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await store.remove(tx, id)
      tx.audit({ action: 'chat-subscription.delete', target: targetOf(id), detail: { channel: row.channel } })
      return shown(row)
    })
  }

  async function nameOf(actor: Actor, channel: string): Promise<string> {
    try {
      return await installed.using(actor, (api, token) => channelName(api, token, channel))
    } catch (error) {
      throw error instanceof ChatError ? faultFor(error) : error
    }
  }

  return { list, create, update, remove }
}

async function requireRepositories(tx: Transaction, actor: Actor, ids: readonly string[]): Promise<void> {
  const known = await withIds(tx, actor, ids.map(Number))
  const errors = ids.flatMap((id, at) =>
    known.has(Number(id)) ? [] : [{ pointer: `/repositoryIds/${at}`, detail: `no repository ${Number(id)}` }],
  )
  if (errors.length === 0) return
  const unknown = ids.map(Number).filter((id) => !known.has(id))
  throw new Fault('unknown_repository', unknownRepositories(unknown), { errors })
}

function shown(row: store.SubscriptionRow): ChatSubscription {
  const { version, createdAt, ...rest } = row
  return withVersion({ ...rest, createdAt: createdAt.toISOString() } as ChatSubscription, version)
}

function required(row: store.SubscriptionRow | undefined, id: number): store.SubscriptionRow {
  if (!row) throw new Fault('not_found', `No chat subscription ${id}.`)
  return row
}

function targetOf(id: number): string {
  return `chat-subscription:${id}`
}
