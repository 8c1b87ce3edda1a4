import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats } from '../src/formats/registry.ts'
import { assertSound } from './lockfile-expectations.ts'
import { hostileDocuments } from './lockfile-suite.ts'

for (const format of formats) {
  test(`${format.id} ends hostile documents in a problem`, () => {
    for (const [what, document] of hostileDocuments) {
      format.recognises(document.subarray(0, 64 * 1024), '')
      const reading = format.read([document], '')
      assert.ok(reading.problems.length > 0, `${what}: nothing is said`)
      for (const { detail } of reading.problems) assert.ok(detail.length < 400, `${what}: a detail is too long`)
      assertSound(reading, what)
    }
  })
}

test('the formats have their own ids and plain titles', () => {
  assert.equal(new Set(formats.map(({ id }) => id)).size, formats.length)
  for (const { id, title } of formats) {
    assert.match(id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    assert.notEqual(title, '')
  }
})
