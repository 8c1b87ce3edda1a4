import { parseTraceparent } from './trace-context.ts'
import { newSpanId, newTraceId, nowMs, type Span, type SpanStart, type Trace } from './tracing.ts'

/** What somebody began, and has to end. */
export type ActiveSpan = { trace: Trace; end(how: { start: SpanStart; failed: boolean }): void }

export type TracerOptions = {
  /** Takes the spans; undefined: a caller's trace is handed on, and nothing is recorded. */
  record?: ((span: Span) => void) | undefined
  /** Of the traces that begin here, the part that is recorded, 0 to 1. Whoever brings a trace has decided already. */
  ratio?: number | undefined
  random?: () => number
}

export type Tracer = ReturnType<typeof createTracer>

/** Decides for each request, and each job, whether it belongs to a trace. */
export function createTracer({ record, ratio = 1, random = Math.random }: TracerOptions = {}) {
  /** Undefined where there is no trace. `begins`: one may begin here. */
  function begin(traceparent: string | undefined, begins: boolean): ActiveSpan | undefined {
    const parent = parseTraceparent(traceparent)
    if (parent && !(record && parent.sampled)) return { trace: parent, end: () => {} }
    if (!record || (!parent && !(begins && random() < ratio))) return undefined
    const trace = { traceId: parent?.traceId ?? newTraceId(), spanId: newSpanId(), sampled: true, record }
    const startMs = nowMs()
    return {
      trace,
      end({ start, failed }) {
        const { traceId, spanId } = trace
        record({ ...start, failed, traceId, spanId, parentId: parent?.spanId, startMs, endMs: nowMs() })
      },
    }
  }

  return { begin }
}
