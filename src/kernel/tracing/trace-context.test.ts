import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceparent, parseTraceparent } from './trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

const accepted: Record<string, { header: string; sampled: boolean }> = {
  'the example of the standard': { header: `00-${traceId}-${spanId}-01`, sampled: true },
  'one that is not sampled': { header: `00-${traceId}-${spanId}-00`, sampled: false },
  'one with flags that are not known': { header: `00-${traceId}-${spanId}-fe`, sampled: false },
  'a later version with more fields': { header: `cc-${traceId}-${spanId}-01-what-the-future-brings`, sampled: true },
}

for (const [name, { header, sampled }] of Object.entries(accepted)) {
  test(`takes ${name}`, () => assert.deepEqual(parseTraceparent(header), { traceId, spanId, sampled }))
}

const refused: Record<string, string | undefined> = {
  nothing: undefined,
  'an empty header': '',
  'a trace of zeros': `00-${'0'.repeat(32)}-${spanId}-01`,
  'a span of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
  'capital letters': `00-${traceId.toUpperCase()}-${spanId}-01`,
  'version 00 with more fields': `00-${traceId}-${spanId}-01-more`,
  'version ff': `ff-${traceId}-${spanId}-01`,
  'a trace that is too short': `00-${traceId.slice(1)}-${spanId}-01`,
  'two headers in one': `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  'a quote': `00-${traceId}'-${spanId}-01`,
}

for (const [name, header] of Object.entries(refused)) {
  test(`takes ${name} for absent`, () => assert.equal(parseTraceparent(header), undefined))
}

test('what is written is what was read', () => {
  for (const { header } of Object.values(accepted).slice(0, 2))
    assert.equal(formatTraceparent(parseTraceparent(header)!), header)
})
