import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreSeverity, wordSeverity } from './severity.ts'

test('scores fall into the bands of CVSS', () => {
  const bands = {
    '0': 'info',
    '0.0': 'info',
    '0.1': 'low',
    '3.9': 'low',
    '4': 'medium',
    '6.9': 'medium',
    '7.0': 'high',
    '8.9': 'high',
    '9.0': 'critical',
    '10.0': 'critical',
  }
  for (const [score, severity] of Object.entries(bands)) assert.equal(scoreSeverity(score), severity, score)
})

test('what is not a score between 0 and 10 is none', () => {
  for (const score of ['', 'undefined', '10.1', '-1', '1e3', 'NaN', '7,5', ' 7', '0x7']) {
    assert.equal(scoreSeverity(score), undefined, score)
  }
})

test('words are read whatever their case; unknown ones are left to the level', () => {
  const words = {
    CRITICAL: 'critical',
    Important: 'high',
    'WEAK WARNING': 'low',
    Moderate: 'medium',
    ManualReview: 'info',
  }
  for (const [word, severity] of Object.entries(words)) assert.equal(wordSeverity(word), severity, word)
  for (const word of ['UNKNOWN', '', 'constructor', 'fine']) assert.equal(wordSeverity(word), undefined, word)
})
