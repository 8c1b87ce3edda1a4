import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../verdicts/firewall-configuration.ts'
import { fixedRules } from './fixed-rules.ts'

test('a minimum age of whole days is said in days', () => {
  const npm = { ...defaultSettings, ecosystem: 'npm', minimumAgeHours: 8_760 } as const
  const pypi = { ...npm, ecosystem: 'pypi', minimumAgeHours: 30 } as const
  const sentences = fixedRules([npm, pypi]).map(({ sentence }) => sentence)
  assert.deepEqual(
    sentences.filter((one) => one.startsWith('Hold back')),
    [
      'Hold back npm versions younger than 365 days; urgent fixes come in at once.',
      'Hold back PyPI versions younger than 30 hours; urgent fixes come in at once.',
    ],
  )
})
