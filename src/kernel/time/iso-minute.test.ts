import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoMinute } from './iso-minute.ts'

const cases = {
  '2026-11-16T06:00:00.000Z': '2026-11-16T06:00Z',
  '2026-11-16T06:00:00.001Z': '2026-11-16T06:01Z',
  '2026-12-31T23:59:30.000Z': '2027-01-01T00:00Z',
}

for (const [moment, said] of Object.entries(cases))
  test(`${moment} is ${said}`, () => assert.equal(isoMinute(new Date(moment)), said))
