/** Where a request belongs: the trace, and the span in it that caused what follows. */
export type TraceContext = { traceId: string; spanId: string; sampled: boolean }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const nothing = /^0+$/

/** W3C Trace Context §3.2. What is not valid counts as absent (§4.3). */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(header ?? '') ?? []
  // Later versions may append fields, version 00 has none to append, and ff is not a version.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (nothing.test(traceId) || nothing.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
