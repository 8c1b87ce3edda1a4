import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import type { ChatApi } from '../messages/chat-api.ts'
import { ChatError } from '../messages/chat-error.ts'
import * as store from '../store.ts'

export type Installed = ReturnType<typeof createInstalled>

type Parts = { db: Database; ring: KeyRing; clock: Clock; apiAt: (url: string) => ChatApi }

/** The installation as it is used, and what the chat service's answers say about it. */
export function createInstalled({ db, ring, clock, apiAt }: Parts) {
  /** Throws what the chat service said as a ChatError; not installed, or archived, is a Fault. */
  async function using<T>(
    actor: Actor,
    work: (api: ChatApi, token: string, row: store.InstallationRow) => Promise<T>,
  ): Promise<T> {
    const row = required(await store.find(db.as(actor)))
    if (!row.botToken) throw new Fault('conflict', 'The chat app was uninstalled or lost its access. Install it again.')
    try {
      return await work(apiAt(row.providerUrl), await open(actor, row), row)
    } catch (error) {
      if (error instanceof ChatError && error.reason === 'revoked') await archiveRevoked(actor, row.id)
      throw error
    }
  }

  /** Only the very installation whose token was refused: it may have been installed again meanwhile. */
  function archiveRevoked(actor: Actor, id: number): Promise<void> {
    return db.transaction(doneEachTime(actor), async (tx) => {
      const row = await store.lock(tx)
      if (row?.id !== id || !row.botToken) return
      await store.archive(tx, clock.now())
      tx.audit({ action: 'chat.access-lost', target: targetOf(row), detail: { team: row.teamName } })
    })
  }

  async function open(actor: Actor, row: store.InstallationRow): Promise<string> {
    const place = sealedFieldOf(sealedColumns.chatBotToken, row.id)
    return (await ring.open(String(actor.deploymentId), row.botToken!, place)).toString('utf8')
  }

  return { using, open }
}

export function required(row: store.InstallationRow | undefined): store.InstallationRow {
  if (!row) throw new Fault('not_found', 'The chat app is not installed.')
  return row
}

export function targetOf({ id }: { id: number }): string {
  return `chat-installation:${id}`
}
