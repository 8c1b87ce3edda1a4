import { Transient } from '../../../kernel/jobs/job.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { originOf, signedHeaders } from '../../automations/public.ts'
import type { AuditEvent } from '../contract.ts'

/** What is stored sealed for a webhook. */
export type WebhookSecret = { url: string; signingKey: string }

type Batch = { deploymentId: number; events: readonly AuditEvent[]; now: Date; signal: AbortSignal }

const oneRequestMs = 15_000

/**
 * A batch is taken when the receiver says so (2xx). It knows what it has by the deployment, the places of the events and the last hash:
 * after a restore other events have these places.
 */
export async function postBatch(outbound: Outbound, { url, signingKey }: WebhookSecret, batch: Batch): Promise<void> {
  const { deploymentId, events, now, signal } = batch
  const last = events.at(-1)!
  const id = `audit-${deploymentId}-${events[0]!.seq}-${last.seq}-${last.hash.slice(0, 16)}`
  const body = JSON.stringify({ type: 'audit.events', timestamp: now.toISOString(), data: { deploymentId, events } })
  const timestamp = Math.floor(now.getTime() / 1_000)
  const { status } = await outbound.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...signedHeaders(signingKey, { id, timestamp, body }) },
    body,
    timeoutMs: oneRequestMs,
    maxRedirects: 0,
    maxBytes: 64 * 1024,
    signal,
  })
  if (status < 200 || status > 299) throw new Transient(`${originOf(url)} answered ${status}.`)
}

/** Facility 13 (log audit), severity 5 (notice): RFC 5424 §6.2.1. */
const priority = 13 * 8 + 5

/** RFC 5424 §6; the message is the event as JSON, as exports and webhooks have it. */
export function syslogMessage(host: string, deploymentId: number, event: AuditEvent): string {
  const kind = event.action.replace(/[^\x21-\x7e]/g, '?').slice(0, 32) || '-'
  return `<${priority}>1 ${event.at} ${host} gatehouse - ${kind} - ${JSON.stringify({ deploymentId, ...event })}`
}

/** RFC 5424 §6.2.4. */
export function syslogHost(publicUrl: string): string {
  return new URL(publicUrl).hostname.replace(/[^\x21-\x7e]/g, '').slice(0, 255) || '-'
}
