import { type Actor, doneEachTime } from '../../kernel/access/actor.ts'
import { requireVersion, versionOf, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedTransaction, sealedTransactionOf } from '../../vault/sealed-transaction.ts'
import type {
  CodeHost,
  CodeHostChanges,
  CodeHostCheck,
  ConnectedCodeHost,
  NewCodeHost,
  NewWebhookSecret,
} from './contract.ts'
import { HostError } from './hosts/host-error.ts'
import { createHostOpener, type HostOptions } from './hosts/open-host.ts'
import { mergeCodeHost, newCodeHost } from './merge-code-host.ts'
import * as store from './store.ts'
import { newWebhookSecret } from './webhooks/signature.ts'

export type CodeHostService = ReturnType<typeof createCodeHostService>

type CodeHostOptions = HostOptions & { db: Database; publicUrl: string }

/** The code hosts that pull requests are commented on at. */
export function createCodeHostService(options: CodeHostOptions) {
  const { db, ring, publicUrl } = options
  const openHost = createHostOpener(options)

  async function list(actor: Actor, request: PageRequest) {
    const { rows, ...page } = cutPage(await store.list(db.as(actor), request), request)
    return { codeHosts: rows.map(shown), ...page }
  }

  async function get(actor: Actor, id: number): Promise<CodeHost> {
    return shown(required(await store.find(db.as(actor), id), id))
  }

  async function connect(actor: Actor, sent: NewCodeHost): Promise<ConnectedCodeHost> {
    const host = newCodeHost(sent)
    const id = await store.nextId({ query: db.identityQuery })
    const webhookSecret = newWebhookSecret()
    const secrets = [credentialOf(id, sent.credential), webhookSecretOf(id, webhookSecret)]
    const made = await sealedTransactionOf({ db, ring }, actor, secrets, async (tx, [credential, secret]) => {
      const row = await store.insert(tx, id, host, { credential: credential!, webhookSecret: secret! })
      tx.audit({ action: 'code-host.connect', target: targetOf(id), detail: host })
      return withVersion({ codeHost: shown(row), webhookSecret }, row.version)
    })
    const check = await examine(actor, Number(made.codeHost.id))
    const codeHost = { ...made.codeHost, account: check.account }
    return withVersion({ ...made, codeHost, check }, versionOf(made)!)
  }

  function update(actor: Actor, id: number, sent: CodeHostChanges): Promise<CodeHost> {
    const secret = sent.credential === undefined ? undefined : credentialOf(id, sent.credential)
    return sealedTransaction({ db, ring }, actor, secret, async (tx, sealed) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      const changed = await store.update(tx, id, mergeCodeHost(fieldsIn(row), sent), sealed)
      tx.audit({ action: 'code-host.update', target: targetOf(id), detail: { fields: Object.keys(sent) } })
      return shown(changed)
    })
  }

  function replaceWebhookSecret(actor: Actor, id: number): Promise<NewWebhookSecret> {
    const webhookSecret = newWebhookSecret()
    return sealedTransaction({ db, ring }, actor, webhookSecretOf(id, webhookSecret), async (tx, sealed) => {
      requireVersion(actor, required(await store.lock(tx, id), id).version)
      const row = await store.replaceWebhookSecret(tx, id, sealed!)
      tx.audit({ action: 'code-host.replace-webhook-secret', target: targetOf(id) })
      return withVersion({ codeHost: shown(row), webhookSecret }, row.version)
    })
  }

  function remove(actor: Actor, id: number): Promise<CodeHost> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await store.remove(tx, id)
      tx.audit({ action: 'code-host.remove', target: targetOf(id), detail: { apiUrl: row.apiUrl } })
      return shown(row)
    })
  }

  async function check(actor: Actor, id: number): Promise<CodeHostCheck> {
    const result = await examine(actor, id)
    return db.transaction(actor, async (tx) => {
      tx.audit({ action: 'code-host.check', target: targetOf(id), detail: result })
      return result
    })
  }

  /** Apart from the request's own transactions, and also for a repeated Idempotency-Key. */
  async function examine(actor: Actor, id: number): Promise<CodeHostCheck> {
    const row = required(await store.findWithCredential(db.as(actor), id), id)
    try {
      const client = await openHost(actor.deploymentId, row, '')
      const account = await client.findAccount()
      await db.transaction(doneEachTime(actor), (tx) => store.noteAccount(tx, id, row.version, account))
      return { ok: true, account, problem: '' }
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      return { ok: false, account: '', problem: error.message }
    }
  }

  function shown(row: store.CodeHostRow): CodeHost {
    const { lastOutcome: outcome, lastDetail: detail, lastRepository: repository, lastAt: at } = row
    const host = {
      ...fieldsIn(row),
      id: String(row.id),
      account: row.account,
      webhookUrl: `${publicUrl}/api/scm/v1/code-host-events/${row.id}`,
      lastDelivery:
        outcome && at ? { outcome, detail, repository, pullRequest: row.lastPullRequest, at: at.toISOString() } : null,
      lastEventAt: row.lastEventAt?.toISOString() ?? null,
      eventCount: row.eventCount,
      createdAt: row.createdAt.toISOString(),
    }
    return withVersion(host, row.version)
  }

  return { list, get, connect, update, replaceWebhookSecret, remove, check }
}

function fieldsIn(row: store.CodeHostRow): store.CodeHostFields {
  const { kind, apiUrl, owners, auth, appId, installationId, postsStatus, postsComment, postsLineComments } = row
  return { kind, apiUrl, owners, auth, appId, installationId, postsStatus, postsComment, postsLineComments }
}

function credentialOf(id: number, plaintext: string) {
  return { plaintext, place: sealedFieldOf(sealedColumns.codeHostCredential, id) }
}

function webhookSecretOf(id: number, plaintext: string) {
  return { plaintext, place: sealedFieldOf(sealedColumns.codeHostWebhookSecret, id) }
}

function required<Row>(row: Row | undefined, id: number): Row {
  if (!row) throw new Fault('not_found', `No code host ${id}.`)
  return row
}

function targetOf(id: number): string {
  return `code-host:${id}`
}
