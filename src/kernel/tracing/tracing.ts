import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { formatTraceparent, type TraceContext } from './trace-context.ts'

/** What was asked of us, what we asked of others, and work that follows from a request. */
export type SpanKind = 'server' | 'client' | 'consumer'
export type Attributes = Record<string, string | number>

export type Span = {
  name: string
  kind: SpanKind
  traceId: string
  spanId: string
  parentId: string | undefined
  startMs: number
  endMs: number
  attributes: Attributes
  failed: boolean
}

/** A trace as it is where code runs. Its spans are recorded where it is sampled and somebody takes them. */
export type Trace = TraceContext & { record?: ((span: Span) => void) | undefined }
export type SpanStart = { name: string; kind: SpanKind; attributes: Attributes }

const running = new AsyncLocalStorage<Trace>()

export function currentTrace(): Trace | undefined {
  return running.getStore()
}

export function inTrace<T>(trace: Trace, work: () => T): T {
  return running.run(trace, work)
}

/** For what goes on longer than whoever happened to begin it. */
export function outsideTraces<T>(work: () => T): T {
  return running.exit(work)
}

/** The header for others; undefined outside of a trace. */
export function currentTraceparent(): string | undefined {
  const trace = running.getStore()
  return trace && formatTraceparent(trace)
}

/** Does the work as a span of the present trace. What is learnt on the way is added to the attributes. */
export function traced<T>(start: () => SpanStart, work: (attributes?: Attributes) => Promise<T>): Promise<T> {
  const parent = running.getStore()
  return parent?.record ? recorded(parent, parent.record, start(), work) : work()
}

async function recorded<T>(
  parent: Trace,
  record: (span: Span) => void,
  { name, kind, attributes }: SpanStart,
  work: (attributes: Attributes) => Promise<T>,
): Promise<T> {
  const trace = { ...parent, spanId: newSpanId() }
  const startMs = nowMs()
  let failed = true
  try {
    const result = await running.run(trace, () => work(attributes))
    failed = false
    return result
  } catch (error) {
    // Never the message, which may quote what somebody sent.
    attributes['error.type'] = String((error as { code?: unknown })?.code ?? (error as Error)?.name ?? 'error')
    throw error
  } finally {
    const { traceId, spanId } = trace
    record({ name, kind, traceId, spanId, parentId: parent.spanId, startMs, endMs: nowMs(), attributes, failed })
  }
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex')
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

/** Since 1970, and finer than the clock that tells the time. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
