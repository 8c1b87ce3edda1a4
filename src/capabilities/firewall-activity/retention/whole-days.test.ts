import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeDays } from './whole-days.ts'

const mark = '2026-06-10T00:00:00.000Z'
const cases: [what: string, mark: string, since: string, until: string, from: string, to: string][] = [
  ['nothing is folded', '', '2026-06-01T10:00', '2026-06-02T10:00', '2026-06-01T10:00', '2026-06-02T10:00'],
  ['after it', mark, '2026-06-10T00:00', '2026-06-10T00:01', '2026-06-10T00:00', '2026-06-10T00:01'],
  ['before it', mark, '2026-06-01T10:00', '2026-06-02T10:00', '2026-06-01T00:00', '2026-06-03T00:00'],
  ['within a day', mark, '2026-06-09T10:00', '2026-06-09T10:01', '2026-06-09T00:00', '2026-06-10T00:00'],
  ['whole days already', mark, '2026-06-01T00:00', '2026-06-02T00:00', '2026-06-01T00:00', '2026-06-02T00:00'],
  ['across it', mark, '2026-06-01T10:00', '2026-06-12T10:00', '2026-06-01T00:00', '2026-06-12T10:00'],
  ['up to it', mark, '2026-06-09T23:59', '2026-06-10T00:00', '2026-06-09T00:00', '2026-06-10T00:00'],
]
for (const [what, before, since, until, from, to] of cases) {
  test(`a period that lies ${what}`, () => {
    const at = (text: string) => new Date(`${text}:00.000Z`)
    const answered = wholeDays({ since: at(since), until: at(until) }, before ? new Date(before) : undefined)
    assert.deepEqual(answered, { since: at(from), until: at(to) })
  })
}
