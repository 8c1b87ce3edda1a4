import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ecosystems } from './registry.ts'
import { checkVersionLines } from './version-lines.ts'

test('lines that disagree come back with their number and our answer', () => {
  const text = ['# a comment', '1.0 < 1.1', '', '1.0 = 1.0.0', '  2 > 10  ', '// 1 > 2', '1 = 1.1'].join('\r\n')
  assert.deepEqual(checkVersionLines(ecosystems.pypi, text), {
    checked: 4,
    disagreements: [
      { line: 5, text: '2 > 10', ours: '2 < 10' },
      { line: 7, text: '1 = 1.1', ours: '1 < 1.1' },
    ],
    unreadable: [],
  })
})

test('what is not a comparison is named, not guessed at', () => {
  const text = ['1.0', '1.0 <= 2.0', '1 < 2 < 3', '1 < 2'].join('\n')
  assert.deepEqual(checkVersionLines(ecosystems.npm, text), {
    checked: 1,
    disagreements: [],
    unreadable: [
      { line: 1, text: '1.0' },
      { line: 2, text: '1.0 <= 2.0' },
      { line: 3, text: '1 < 2 < 3' },
    ],
  })
})
