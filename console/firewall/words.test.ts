import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingSentences } from './words.ts'

test('ages of whole days are said in days', () => {
  const settings = { ecosystem: 'npm', undetermined: 'block', held: 'block', ageExceptions: [] }
  const said = (minimumAgeHours: number, maximumDataAgeHours: number) =>
    settingSentences({ ...settings, minimumAgeHours, maximumDataAgeHours }).slice(2)
  assert.deepEqual(said(8_760, 168), [
    'Versions younger than 365 days are held back.',
    'When advisories are older than 7 days, nothing can be said about any package.',
  ])
  assert.deepEqual(said(24, 0), ['Versions younger than 24 hours are held back.'])
})
