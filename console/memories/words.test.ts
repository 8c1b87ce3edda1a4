import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, memoryBody, replaySentence, scopeSentence } from './words.ts'

const scope = {
  ruleId: '',
  pathPrefixes: [],
  vulnerabilityClass: '',
  repositoryName: '',
  repositoryId: '',
  projectTagId: 0,
}

test('what a memory is about is a sentence', () => {
  const name = (id: number) => `tag-${id}`
  assert.equal(scopeSentence(scope, name), 'Everything in the whole deployment')
  assert.equal(
    scopeSentence(
      { ...scope, ruleId: 'sql', pathPrefixes: ['a', 'b'], repositoryId: '3', repositoryName: 'shop/web' },
      name,
    ),
    'Findings of the rule sql and a or b in shop/web',
  )
  assert.equal(
    scopeSentence({ ...scope, vulnerabilityClass: 'CWE-79', projectTagId: 4 }, name),
    'Findings of the class CWE-79 in repositories with the tag tag-4',
  )
})

test('a replay says what would change before what stays', () => {
  const counts = {
    newlyTruePositive: '0',
    newlyFalsePositive: '12',
    remainsTruePositive: '3',
    remainsFalsePositive: '1',
  }
  assert.equal(
    replaySentence(counts),
    '12 findings would be ignored provisionally, 1 is ignored already and 3 stay of concern.',
  )
})

test('folders are one a line, each once, and what is sent is trimmed', () => {
  assert.deepEqual(linesOf(' src/test \n\nsrc/test\nlib\n'), ['src/test', 'lib'])
  const body = memoryBody({
    content: ' x ',
    context: ['AI_MEMORY_CONTEXT_TRIAGE'],
    ruleId: ' r ',
    pathPrefixes: 'a\n',
    vulnerabilityClass: '',
    repositoryId: '',
    projectTagId: 0,
  })
  assert.deepEqual([body.content, body.ruleId, body.pathPrefixes], ['x', 'r', ['a']])
})
