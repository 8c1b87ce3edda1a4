import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProblems, entryProblem, quote } from './problem.ts'

const quotes: [text: string, quoted: string][] = [
  ['a', "'a'"],
  ['a\nb\u0000\u202e', "'a\ufffdb\ufffd\ufffd'"],
  ['a'.repeat(81), `'${'a'.repeat(80)}…'`],
]

test('quotes a document on one line, short and without control characters', () => {
  for (const [text, quoted] of quotes) assert.equal(quote(text), quoted)
})

test('keeps as many problems as a person reads, and says how many there are more', () => {
  const problems = createProblems(2)
  for (let line = 1; line <= 5; line++) problems.add(entryProblem('bad-entry', 'x', line))
  assert.deepEqual(
    problems.list().map(({ code, line }) => [code, line]),
    [
      ['bad-entry', 1],
      ['bad-entry', 2],
      ['more-problems', 0],
    ],
  )
  assert.match(problems.list()[2]!.detail, /^3 more/)
  const few = createProblems(2)
  few.add(entryProblem('bad-entry', 'x', 1))
  assert.equal(few.list().length, 1)
})
