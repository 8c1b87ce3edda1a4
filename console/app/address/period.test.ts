import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from './address.ts'
import { lostPeriod, readPeriod } from './period.ts'

const now = new Date('2026-11-19T10:00:00Z')

const addresses: [search: string, since: string, lost: string[]][] = [
  ['', '2025-11-19', []],
  ['?period=30d', '2026-10-20', []],
  ['?since=2026-05-01&until=2026-06-01', '2026-05-01', []],
  ['?period=45d', '2025-11-19', ['period=45d']],
  ['?period=toString', '2025-11-19', ['period=toString']],
  ['?since=soon&until=2026-06-01', '2025-11-19', ['since=soon', 'until=2026-06-01']],
  ['?since=2026-05-01&until=later', '2026-05-01', ['until=later']],
  ['?team=core', '2025-11-19', []],
]

for (const [search, since, lost] of addresses) {
  test(`the period of '${search}', and what of it is not understood`, () => {
    const pairs = parseSearch(search)
    assert.equal(readPeriod(pairs, now).since.slice(0, 10), since)
    assert.deepEqual(
      lostPeriod(pairs).map((pair) => pair.join('=')),
      lost,
    )
  })
}
