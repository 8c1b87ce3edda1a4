import type { Attributes, Span, SpanKind } from '../../kernel/tracing/tracing.ts'

const kinds: Record<SpanKind, number> = { server: 2, client: 3, consumer: 5 }
const error = 2

/** An ExportTraceServiceRequest in the JSON of OTLP 1.x: ids in hex, 64-bit numbers as text, enums as numbers. */
export function traceRequest(spans: readonly Span[], resource: Attributes): object {
  const scopeSpans = [{ scope: { name: 'gatehouse' }, spans: spans.map(spanOf) }]
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] }
}

function spanOf({ name, kind, traceId, spanId, parentId, startMs, endMs, attributes, failed }: Span) {
  return {
    traceId,
    spanId,
    ...(parentId && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(failed && { status: { code: error } }),
  }
}

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))
}

/** Whole microseconds: more digits than a number has would be made up. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}
