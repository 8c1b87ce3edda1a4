import type { Logger } from 'pino'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { eachInTurn } from '../../../kernel/jobs/each-deployment.ts'
import { type Job, type JobHandler, type Periodic, Transient } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'
import type { Syslog } from '../../../outbound/syslog/syslog.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../../vault/sealed-transaction.ts'
import { originOf, signingKeyProblem, webhookUrlProblem } from '../../automations/public.ts'
import type { AuditEvent } from '../contract.ts'
import { toEvent } from '../service.ts'
import { anchor, head, list } from '../store.ts'
import { postBatch, syslogHost, syslogMessage, type WebhookSecret } from './senders.ts'
import type { AuditWebhook, AuditWebhookSettings } from './stream-contract.ts'
import * as store from './stream-store.ts'

export type StreamOptions = {
  db: Database
  ring: KeyRing
  outbound: Outbound
  clock: Clock
  publicUrl: string
  log: Logger
  /** Undefined where the operator has not named a receiver. */
  syslog: Syslog | undefined
}

export type AuditStreams = ReturnType<typeof createAuditStreams>

const everySeconds = 5
const batchSize = 200
const batchesPerJob = 50
const longestWaitMs = 300_000
const place = sealedFieldOf(sealedColumns.auditStreamSecret, 'webhook')

/**
 * Pushes audit logs to others. The log is what is pushed from, in order, and the position moves when a batch was taken: what is
 * written meanwhile waits for nobody, and what nobody takes is pushed again until somebody does.
 */
export function createAuditStreams({ db, ring, outbound, clock, publicUrl, log, syslog }: StreamOptions) {
  async function get(actor: Actor): Promise<AuditWebhook> {
    return shown(db.as(actor))
  }

  function set(actor: Actor, wanted: AuditWebhookSettings): Promise<AuditWebhook> {
    const secret = secretOf(wanted)
    const sealing = secret && { plaintext: JSON.stringify(secret), place }
    return sealedTransaction({ db, ring }, actor, sealing, async (tx, sealed) => {
      const current = await store.lock(tx, 'webhook')
      requireVersion(actor, current?.version ?? 0)
      const origin = secret ? originOf(secret.url) : (current?.origin ?? '')
      const active = wanted.active ?? current?.active ?? true
      if (current) await store.update(tx, 'webhook', { secret: sealed, origin, active })
      else if (!sealed) throw new Fault('unprocessable', 'A webhook needs an address and a signing key.')
      else {
        const position = wanted.from === 'beginning' ? 0 : ((await head(tx))?.seq ?? 0)
        if (!(await store.insert(tx, 'webhook', { secret: sealed, origin, active, position }))) {
          throw new Fault('precondition_failed', 'Somebody else has just set up the webhook. Read it, then change it.')
        }
      }
      tx.audit({ action: 'audit.webhook-set', target: 'audit', detail: { origin, active } })
      return shown(tx)
    })
  }

  function remove(actor: Actor): Promise<AuditWebhook> {
    return db.transaction(actor, async (tx) => {
      const current = await store.lock(tx, 'webhook')
      if (!current) throw new Fault('not_found', 'Audit events are not pushed to a webhook.')
      requireVersion(actor, current.version)
      await store.remove(tx, 'webhook')
      tx.audit({ action: 'audit.webhook-remove', target: 'audit', detail: { origin: current.origin } })
      return shown(tx)
    })
  }

  /** Has every log pushed that has something new, unless that is under way. */
  async function enqueueDue(): Promise<void> {
    const due = await db.workerQuery<{ deploymentId: number; id: store.StreamId }>(
      store.due(clock.now(), syslog !== undefined),
    )
    await eachInTurn(due, ({ deploymentId, id }) =>
      db.transaction(systemActor(deploymentId, 'audit.push'), async (tx) => {
        if (id === 'syslog') await store.insert(tx, id, { secret: null, origin: '', active: true, position: 0 })
        await enqueue(tx, { kind: kindOf(id), payload: {} })
      }),
    )
  }

  async function push(id: store.StreamId, job: Job): Promise<void> {
    const actor = systemActor(job.deploymentId, `job-${job.id}`)
    for (let batches = 0; batches < batchesPerJob && !job.signal.aborted; batches++) {
      const stream = await store.find(db.as(actor), id)
      if (!stream?.active) return
      const events = await eventsAfter(db.as(actor), stream.position)
      if (events.length === 0) return
      try {
        await send(stream, { deploymentId: job.deploymentId, events, now: clock.now(), signal: job.signal })
      } catch (error) {
        // Not the job's to try again: it would be given up one day, and a log is not.
        if (!isShown(error))
          log.error({ err: error, deploymentId: job.deploymentId, stream: id }, 'audit log not pushed')
        const now = clock.now()
        const retryAt = new Date(now.getTime() + Math.min(longestWaitMs, 5_000 * 2 ** Math.min(stream.failures, 10)))
        await db.transaction(actor, (tx) => store.noteFailure(tx, id, { error: reasonOf(error), now, retryAt }))
        return
      }
      const to = events.at(-1)!.seq
      await db.transaction(actor, (tx) => store.moveOn(tx, id, { from: stream.position, to, now: clock.now() }))
    }
  }

  async function send(stream: store.StreamRow, batch: Parameters<typeof postBatch>[2]): Promise<void> {
    const { deploymentId, events, signal } = batch
    if (stream.secret === null) {
      const host = syslogHost(publicUrl)
      return syslog?.send(
        events.map((event) => syslogMessage(host, deploymentId, event)),
        signal,
      )
    }
    const opened = await ring.open(String(deploymentId), stream.secret, place)
    await postBatch(outbound, JSON.parse(opened.toString('utf8')) as WebhookSecret, batch)
  }

  async function shown(from: Queryable): Promise<AuditWebhook> {
    const [row, end, removed] = await Promise.all([store.find(from, 'webhook'), head(from), anchor(from)])
    const position = row?.position ?? 0
    const nextTo = Math.max(position, removed?.seq ?? 0)
    const webhook = {
      configured: row !== undefined,
      origin: row?.origin ?? '',
      active: row?.active ?? false,
      position,
      behind: row ? Math.max(0, (end?.seq ?? 0) - nextTo) : 0,
      sentAt: row?.sent_at?.toISOString() ?? null,
      failingSince: row?.failing_since?.toISOString() ?? null,
      error: row?.error ?? '',
    }
    return withVersion(webhook, row?.version ?? 0)
  }

  const handlers: JobHandler[] = [{ kind: kindOf('webhook'), run: (job) => push('webhook', job) }]
  // A process without a receiver leaves this to one that has it.
  if (syslog) handlers.push({ kind: kindOf('syslog'), run: (job) => push('syslog', job) })
  const periodic: Periodic[] = [{ name: 'audit.push', everySeconds, run: enqueueDue }]
  return { get, set, remove, enqueueDue, handlers, periodic }
}

function kindOf(id: store.StreamId): string {
  return `audit.${id}`
}

/** What was removed because of its age is not there any more for a receiver that begins before it. */
async function eventsAfter(db: Queryable, position: number): Promise<AuditEvent[]> {
  const low = Math.max(position, (await anchor(db))?.seq ?? 0) + 1
  const span = { low, high: low + batchSize }
  const rows = await list(db, span, {}, { limit: batchSize, oldestFirst: true })
  return rows.map(toEvent)
}

/** Both or neither, since a signature with the key of another receiver is worth nothing. */
function secretOf({ url, signingKey }: AuditWebhookSettings): WebhookSecret | undefined {
  if (url === undefined && signingKey === undefined) return undefined
  if (url === undefined || signingKey === undefined) {
    throw new Fault('unprocessable', 'Send the address and the signing key together.')
  }
  const errors: FieldError[] = []
  const urlProblem = webhookUrlProblem(url)
  const keyProblem = signingKeyProblem(signingKey)
  if (urlProblem) errors.push({ pointer: '/url', detail: urlProblem })
  if (keyProblem) errors.push({ pointer: '/signingKey', detail: keyProblem })
  if (errors.length > 0) throw new Fault('unprocessable', 'The webhook cannot be used; see errors.', { errors })
  return { url, signingKey }
}

function isShown(error: unknown): error is Error {
  return error instanceof Transient || error instanceof OutboundError
}

function reasonOf(error: unknown): string {
  return isShown(error) ? error.message.slice(0, 500) : 'Something went wrong on our side; the log has the details.'
}
