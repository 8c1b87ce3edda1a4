import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTracer } from './tracer.ts'
import { currentTrace, currentTraceparent, inTrace, outsideTraces, type Span, traced } from './tracing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const start = (name: string) => () => ({ name, kind: 'client' as const, attributes: {} })

test('spans are one below the other, and work that goes on apart is in none', async () => {
  const spans: Span[] = []
  const { trace } = createTracer({ record: (span) => spans.push(span) }).begin(`00-${traceId}-${parentId}-01`, false)!
  await inTrace(trace, () =>
    traced(start('outer'), async () => {
      await traced(start('inner'), async (attributes) => {
        attributes!.learnt = 7
        assert.equal(outsideTraces(currentTrace), undefined)
      })
    }),
  )
  const [inner, outer] = spans
  assert.deepEqual([outer!.parentId, inner!.parentId, inner!.traceId], [trace.spanId, outer!.spanId, traceId])
  assert.deepEqual([inner!.attributes, inner!.failed], [{ learnt: 7 }, false])
  assert.ok(outer!.startMs <= inner!.startMs && inner!.endMs <= outer!.endMs)
})

test('of what fails the code or the kind of error is known, and never its message', async () => {
  const spans: Span[] = []
  const trace = { traceId, spanId: parentId, sampled: true, record: (span: Span) => spans.push(span) }
  for (const error of [
    new TypeError('password hunter2'),
    Object.assign(new Error('hunter2'), { code: 'ECONNRESET' }),
  ]) {
    await assert.rejects(
      inTrace(trace, () => traced(start('failing'), () => Promise.reject(error))),
      error,
    )
  }
  assert.deepEqual(
    spans.map(({ failed, attributes }) => [failed, attributes['error.type']]),
    [
      [true, 'TypeError'],
      [true, 'ECONNRESET'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(spans), /hunter2/)
})

test('without anybody who takes spans the trace of the caller is handed on as it is', async () => {
  const tracer = createTracer()
  const header = `00-${traceId}-${parentId}-01`
  const { trace } = tracer.begin(header, true)!
  assert.equal(await inTrace(trace, () => traced(start('x'), async () => currentTraceparent())), header)
  assert.equal(tracer.begin(undefined, true), undefined)
  assert.equal(currentTraceparent(), undefined)
})

test('who brings a trace has decided whether it is recorded; of others a part is', () => {
  const record = () => {}
  const tracer = createTracer({ record, ratio: 0.25, random: () => 0.25 })
  assert.equal(tracer.begin(undefined, true), undefined)
  assert.ok(tracer.begin(`00-${traceId}-${parentId}-01`, true)!.trace.record)
  assert.equal(tracer.begin(`00-${traceId}-${parentId}-00`, true)!.trace.record, undefined)
  const lucky = createTracer({ record, ratio: 0.25, random: () => 0.2 })
  assert.ok(lucky.begin(undefined, true)!.trace.record)
  assert.equal(lucky.begin(undefined, false), undefined)
})
