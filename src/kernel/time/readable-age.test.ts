import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableAge } from './readable-age.ts'

const cases: [number, string][] = [
  [1, '1 hour'],
  [24, '24 hours'],
  [36, '36 hours'],
  [48, '2 days'],
  [8_760, '365 days'],
]

for (const [hours, said] of cases) test(`${hours} h are ${said}`, () => assert.equal(readableAge(hours), said))
