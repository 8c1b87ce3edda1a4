import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeIn } from './byte-range.ts'

const cases: [what: string, headers: Record<string, string>, range: ReturnType<typeof rangeIn>][] = [
  ['none', {}, undefined],
  ['the first byte', { range: 'bytes=0-0' }, { start: 0, end: 0 }],
  ['from somewhere to the end', { range: 'bytes=40-' }, { start: 40, end: 99 }],
  ['the end', { range: 'bytes=-30' }, { start: 70, end: 99 }],
  ['more of the end than there is', { range: 'bytes=-3000' }, { start: 0, end: 99 }],
  ['beyond the end', { range: 'bytes=40-4000' }, { start: 40, end: 99 }],
  ['only beyond the end', { range: 'bytes=100-' }, 'unsatisfiable'],
  ['nothing of the end', { range: 'bytes=-0' }, 'unsatisfiable'],
  ['backwards', { range: 'bytes=9-3' }, undefined],
  ['several', { range: 'bytes=0-1,5-6' }, undefined],
  ['another unit', { range: 'lines=0-1' }, undefined],
  ['no numbers', { range: 'bytes=-' }, undefined],
  ['of this very artifact', { range: 'bytes=0-1', 'if-range': '"tag"' }, { start: 0, end: 1 }],
  ['of another artifact', { range: 'bytes=0-1', 'if-range': '"other"' }, undefined],
  ['of what is only alike', { range: 'bytes=0-1', 'if-range': 'W/"tag"' }, undefined],
]

for (const [what, headers, range] of cases) {
  test(`a range: ${what}`, () => assert.deepEqual(rangeIn({ method: 'GET', headers }, '"tag"', 100), range))
}

test('a range means nothing but to a GET', () => {
  assert.equal(rangeIn({ method: 'HEAD', headers: { range: 'bytes=0-1' } }, '"tag"', 100), undefined)
})
