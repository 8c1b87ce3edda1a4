import type { Logger } from 'pino'
import { type Attributes, outsideTraces, type Span } from '../../kernel/tracing/tracing.ts'
import { createOutbound } from '../client/client.ts'
import type { Collector } from './collector.ts'
import { traceRequest } from './otlp-spans.ts'

export type SpanExporterOptions = { collector: Collector; resource: Attributes; log: Logger; everyMs?: number }

const mostWaiting = 4_096
const mostAtOnce = 512

/**
 * Sends spans to an OpenTelemetry collector in batches. Nobody waits for it: while the collector is away, the newest spans
 * beyond a bound are dropped.
 */
export function createSpanExporter({ collector, resource, log, everyMs = 2_000 }: SpanExporterOptions) {
  const { origin } = new URL(collector.endpoint)
  // The operator chose it, and most often it is on this machine.
  const outbound = createOutbound({ allow: '', isOperators: (asked) => asked === origin })
  const waiting: Span[] = []
  let dropped = 0
  let sending: Promise<boolean> | undefined
  let isAway = false
  const timer = setInterval(() => void flush(), everyMs).unref()

  function record(span: Span): void {
    if (waiting.length >= mostWaiting) dropped++
    else if (waiting.push(span) >= mostAtOnce) outsideTraces(() => void flush())
  }

  /** One request at a time. */
  function flush(): Promise<boolean> {
    if (waiting.length === 0) return Promise.resolve(true)
    sending ??= send().finally(() => {
      sending = undefined
    })
    return sending
  }

  /** Answers whether the batch is done with. */
  async function send(): Promise<boolean> {
    const batch = waiting.slice(0, mostAtOnce)
    try {
      const { status } = await outbound.request({
        method: 'POST',
        url: `${collector.endpoint}/v1/traces`,
        headers: { ...collector.headers, 'content-type': 'application/json' },
        body: JSON.stringify(traceRequest(batch, resource)),
        timeoutMs: 5_000,
        maxRedirects: 0,
      })
      // The collector asks for it again later (OTLP, "Retryable Response Codes").
      if ([429, 502, 503, 504].includes(status)) return tellAway(`it answered ${status}`)
      waiting.splice(0, batch.length)
      if (status >= 300) {
        dropped += batch.length
        return tellAway(`it answered ${status}`)
      }
      if (isAway) log.info('the OpenTelemetry collector takes spans again')
      isAway = false
      return true
    } catch (error) {
      return tellAway((error as Error).message)
    }
  }

  function tellAway(why: string): false {
    if (!isAway) log.warn({ why }, 'spans cannot be handed to the OpenTelemetry collector; they are kept for a while')
    isAway = true
    return false
  }

  /** What is left is sent, as far as the collector takes it. */
  async function close(): Promise<void> {
    clearInterval(timer)
    await sending
    while (waiting.length > 0 && (await flush())) {}
    await outbound.close()
  }

  return { record, flush, close, dropped: () => dropped }
}
