import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

/**
 * opentelemetry/proto/collector/trace/v1/trace_service.proto as JSON, for what we send of it: lowerCamelCase names, no others;
 * trace and span ids in hex; fixed64 and int64 as decimal text; enums as numbers (OTLP specification, "JSON Protobuf Encoding").
 */
const strict = { additionalProperties: false }
const int64 = Type.String({ pattern: '^-?[0-9]{1,19}$' })
const AnyValue = Type.Union([
  Type.Object({ stringValue: Type.String() }, strict),
  Type.Object({ intValue: int64 }, strict),
])
const KeyValue = Type.Object({ key: Type.String({ minLength: 1 }), value: AnyValue }, strict)
const OtlpSpan = Type.Object(
  {
    traceId: Type.String({ pattern: '^(?!0{32})[0-9a-f]{32}$' }),
    spanId: Type.String({ pattern: '^(?!0{16})[0-9a-f]{16}$' }),
    parentSpanId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{16}$' })),
    name: Type.String({ minLength: 1 }),
    kind: Type.Integer({ minimum: 0, maximum: 5 }),
    startTimeUnixNano: int64,
    endTimeUnixNano: int64,
    attributes: Type.Array(KeyValue),
    status: Type.Optional(Type.Object({ code: Type.Integer({ minimum: 0, maximum: 2 }) }, strict)),
  },
  strict,
)
export type OtlpSpan = Static<typeof OtlpSpan>

const ScopeSpans = Type.Object(
  { scope: Type.Object({ name: Type.String() }, strict), spans: Type.Array(OtlpSpan) },
  strict,
)
const ResourceSpans = Type.Object(
  {
    resource: Type.Object({ attributes: Type.Array(KeyValue) }, strict),
    scopeSpans: Type.Array(ScopeSpans),
  },
  strict,
)
const ExportTraceServiceRequest = Type.Object({ resourceSpans: Type.Array(ResourceSpans) }, strict)

/** The spans of a request that keeps to the rules. */
export function checkTraceRequest(request: unknown): OtlpSpan[] {
  assert.deepEqual(Value.Errors(ExportTraceServiceRequest, request), [])
  const { resourceSpans } = request as Static<typeof ExportTraceServiceRequest>
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  for (const span of spans) {
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), span.name)
    const keys = span.attributes.map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length, `${span.name} has an attribute twice`)
  }
  return spans
}

/** The attributes of a span by name. */
export function attributesOf(span: OtlpSpan): Record<string, string> {
  return Object.fromEntries(
    span.attributes.map(({ key, value }) => [key, 'intValue' in value ? value.intValue : value.stringValue]),
  )
}
