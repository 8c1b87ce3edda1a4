import type { ActionOrder } from '../../../domain/trigger-event.ts'
import { Permanent, Transient } from '../../../kernel/jobs/job.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { retryAfterSeconds } from '../../../outbound/client/retry-after.ts'
import { signedHeaders } from './signature.ts'
import { originOf } from './webhook-url.ts'

/** What is stored sealed for a webhook. */
export type WebhookSecret = { url: string; signingKey: string }

const oneRequestMs = 15_000
const gone = 410

/** Delivers an event. The id is the same on every try, so a receiver that remembers ids takes it once. */
export function createWebhookDelivery(outbound: Outbound) {
  return async function deliver(order: ActionOrder, { secret, at }: { secret: string; at: string }): Promise<void> {
    const { url, signingKey } = JSON.parse(secret) as WebhookSecret
    const body = bodyOf(order, at)
    const timestamp = Math.floor(Date.now() / 1_000)
    const answer = await outbound.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signedHeaders(signingKey, { id: order.key, timestamp, body }) },
      body,
      timeoutMs: oneRequestMs,
      maxRedirects: 0,
      maxBytes: 64 * 1024,
      signal: order.signal,
    })
    const { status } = answer
    if (status >= 200 && status < 300) return
    const said = `${originOf(url)} answered ${status}.`
    throw status === gone ? new Permanent(said) : new Transient(said, retryAfterSeconds(answer))
  }
}

function bodyOf({ deploymentId, automation, occasion, subjects, total }: ActionOrder, at: string): string {
  const { source, ...rest } = occasion
  return JSON.stringify({
    type: 'automation.fired',
    timestamp: at,
    data: { deploymentId, automation, triggerSource: source, ...rest, subjects, total },
  })
}
