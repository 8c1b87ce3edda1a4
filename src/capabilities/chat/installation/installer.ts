import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../../vault/sealed-transaction.ts'
import type { ChatApi } from '../messages/chat-api.ts'
import { ChatError } from '../messages/chat-error.ts'
import * as store from '../store.ts'
import { type Access, exchange, revoke, tryOut } from './access.ts'
import type { ChatApp } from './app.ts'

export type InstallerOptions = {
  db: Database
  ring: KeyRing
  clock: Clock
  apiAt: (url: string) => ChatApi
  redirectUri: string
}

type Replaced = { id: number; providerUrl: string; botToken: store.InstallationRow['botToken'] }

/** Gets access at the chat service and keeps it. Whatever fails on the way, nothing half-installed is left. */
export function createInstaller({ db, ring, clock, apiAt, redirectUri }: InstallerOptions) {
  async function install<T>(
    actor: Actor,
    app: ChatApp,
    code: string,
    show: (row: store.InstallationRow) => T,
  ): Promise<T> {
    const api = apiAt(app.url)
    const access = await step('exchange', exchange(api, app, code, redirectUri))
    const { shown, replaced } = await keepAfterTrial(actor, api, access, show)
    if (replaced) await giveUp(actor, replaced, access.token)
    return shown
  }

  async function keepAfterTrial<T>(
    actor: Actor,
    api: ChatApi,
    access: Access,
    show: (row: store.InstallationRow) => T,
  ) {
    try {
      const fields = await step('try out', tryOut(api, access))
      return await keep(actor, access.token, fields, show)
    } catch (error) {
      // Access that nobody here knows of must not live on there.
      await revoke(api, access.token)
      throw error
    }
  }

  async function keep<T>(
    actor: Actor,
    token: string,
    fields: store.InstallationFields,
    show: (row: store.InstallationRow) => T,
  ) {
    const id = await store.nextId({ query: db.identityQuery })
    const secret = { plaintext: token, place: sealedFieldOf(sealedColumns.chatBotToken, id) }
    let replaced: Replaced | undefined
    const shown = await sealedTransaction({ db, ring }, actor, secret, async (tx, sealed) => {
      const former = await store.lock(tx)
      // In the same workspace both have one and the same token.
      replaced = former && !isSamePlace(former, fields) ? former : undefined
      const row = await store.put(tx, id, fields, sealed!, clock.now())
      tx.audit({
        action: 'chat.install',
        target: `chat-installation:${id}`,
        detail: { team: fields.teamName, enterprise: fields.enterpriseName, scopes: fields.scopes },
      })
      return show(row)
    })
    return { shown, replaced: replaced as Replaced | undefined }
  }

  /** Best effort: the new installation stands whatever becomes of the former one's access. */
  async function giveUp(actor: Actor, { id, providerUrl, botToken }: Replaced, inUse: string): Promise<void> {
    if (!botToken) return
    const opened = await ring.open(String(actor.deploymentId), botToken, sealedFieldOf(sealedColumns.chatBotToken, id))
    const token = opened.toString('utf8')
    if (token !== inUse) await revoke(apiAt(providerUrl), token)
  }

  return { install }
}

function isSamePlace(a: store.InstallationFields, b: store.InstallationFields): boolean {
  return (['providerUrl', 'appId', 'teamId', 'enterpriseUrl'] as const).every((name) => a[name] === b[name])
}

async function step<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    throw new Fault('unprocessable', `The step '${name}' failed: ${error.message} Nothing was installed; start again.`)
  }
}
