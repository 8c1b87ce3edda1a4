import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import { beforeExternalCall, earlierResult } from '../../kernel/database/idempotency-across-calls.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import type { ChannelPage, ChatInstallation, SentMessage } from './contract.ts'
import { revoke } from './installation/access.ts'
import { authorizeUrl, type ChatAppSettings, configuredApp, isOutdated } from './installation/app.ts'
import { createInstalled, required, targetOf } from './installation/installed.ts'
import { createInstaller } from './installation/installer.ts'
import { issueState, redeemState } from './installation/oauth-state.ts'
import { type ChannelQuery, listChannels, postMessage } from './messages/channels.ts'
import { type ChatApi, createChatApi } from './messages/chat-api.ts'
import { ChatError, faultFor } from './messages/chat-error.ts'
import * as store from './store.ts'

export type ChatOptions = {
  db: Database
  ring: KeyRing
  outbound: Outbound
  clock: Clock
  publicUrl: string
  app: ChatAppSettings
  /** For each request to the chat service. */
  timeoutMs?: number
}
export type ChatService = ReturnType<typeof createChatService>

// An installation makes up to three requests, which together must be over before the request that asked for it is.
const oneRequestMs = 8_000
const testText = 'This is a test message from Gatehouse: it can post to this channel.'

export function createChatService(options: ChatOptions) {
  const { db, ring, clock } = options
  const apiAt = (url: string) => createChatApi(options.outbound, url, options.timeoutMs ?? oneRequestMs)
  const redirectUri = `${options.publicUrl}/chat/callback`
  const installed = createInstalled({ db, ring, clock, apiAt })
  const installer = createInstaller({ db, ring, clock, apiAt, redirectUri })

  async function get(actor: Actor): Promise<ChatInstallation> {
    return shown(actor, required(await store.find(db.as(actor))))
  }

  async function start(actor: Actor): Promise<string> {
    const app = configuredApp(options.app)
    const state = await db.transaction(actor, (tx) => issueState(tx, clock))
    return authorizeUrl(app, redirectUri, state)
  }

  /** The state is used up before the outside is asked, so that of callbacks that come together only one gets through. */
  async function complete(actor: Actor, { state, code }: { state: string; code: string }): Promise<ChatInstallation> {
    const app = configuredApp(options.app)
    const { isRepetition } = await beforeExternalCall(db, actor, (tx) => redeemState(tx, state, clock))
    if (isRepetition) {
      return earlierResult(db, actor, new Fault('unprocessable', 'This installation was not completed. Start again.'))
    }
    return installer.install(actor, app, code, (row) => shown(actor, row))
  }

  async function uninstall(actor: Actor): Promise<{ installation: ChatInstallation; revoked: boolean }> {
    const seen = await db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx))
      requireVersion(actor, row.version)
      return row.id
    })
    const row = required(await store.find(db.as(actor)))
    const isLive = row.botToken !== null && row.id === seen
    const revoked = isLive ? await revoke(apiAt(row.providerUrl), await installed.open(actor, row)) : true
    return db.transaction(actor, async (tx) => {
      const current = required(await store.lock(tx))
      if (current.id !== seen)
        throw new Fault('conflict', 'The app was reinstalled in the meantime. Read it again first.')
      if (!current.botToken) return { installation: shown(actor, current), revoked }
      tx.audit({ action: 'chat.uninstall', target: targetOf(current), detail: { team: current.teamName, revoked } })
      return { installation: shown(actor, await store.archive(tx, clock.now())), revoked }
    })
  }

  function channels(actor: Actor, query: ChannelQuery): Promise<ChannelPage> {
    return withAccess(actor, (api, token, row) => {
      if (row.isOrgWide && !query.team) {
        throw new Fault('unprocessable', 'The app is installed for a whole organisation: name the workspace by `team`.')
      }
      return listChannels(api, token, query)
    })
  }

  async function sendTest(actor: Actor, channel: string): Promise<SentMessage> {
    const { isRepetition } = await beforeExternalCall(db, actor, async (tx) => required(await store.find(tx)).id)
    if (isRepetition) {
      const advice = 'The first request with this key failed and may have sent the message. Use another key.'
      return earlierResult(db, actor, new Fault('conflict', advice))
    }
    return withAccess(actor, async (api, token, row) => {
      const sent = await postMessage(api, token, { channel, text: testText })
      return db.transaction(actor, async (tx) => {
        tx.audit({ action: 'chat.test-message', target: targetOf(row), detail: { channel } })
        return sent
      })
    })
  }

  async function withAccess<T>(
    actor: Actor,
    work: (api: ChatApi, token: string, row: store.InstallationRow) => Promise<T>,
  ): Promise<T> {
    try {
      return await installed.using(actor, work)
    } catch (error) {
      throw error instanceof ChatError ? faultFor(error) : error
    }
  }

  function shown(actor: Actor, row: store.InstallationRow): ChatInstallation {
    const installation = {
      deployment_id: actor.deploymentId,
      client_id: row.clientId,
      app_id: row.appId,
      enterprise_name: row.enterpriseName,
      enterprise_url: row.enterpriseUrl,
      team_name: row.teamName,
      update_available: isOutdated(row, options.app),
      archived: row.botToken === null,
    }
    return withVersion(installation, row.version)
  }

  return { get, start, complete, uninstall, channels, sendTest, installed }
}
