import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asSentence, grantSentence, readSubject } from './exception-words.ts'

test('the address of a refusal names a package and a version, with its scope or group', () => {
  assert.deepEqual(readSubject('npm', '@scope/lib@1.0.0'), { ecosystem: 'npm', name: '@scope/lib', version: '1.0.0' })
  assert.deepEqual(readSubject('maven', 'com.acme:lib@1.0')?.name, 'com.acme:lib')
  assert.deepEqual(readSubject('npm', 'left@*')?.version, '*')
  for (const [ecosystem, text] of [
    ['npm', '@scope/lib'],
    ['npm', 'left@'],
    ['<b>', 'left@1.0.0'],
  ] as const)
    assert.equal(readSubject(ecosystem, text), undefined)
})

test('what people wrote ends with a full stop', () => {
  assert.deepEqual(['done', 'done. ', 'why?'].map(asSentence), ['done.', 'done.', 'why?'])
})

test('what was approved reads as a sentence', () => {
  const granted = { name: 'left', versions: '<2.0.0', scope: 'team', teamName: 'Web' } as const
  assert.equal(grantSentence(granted), 'left <2.0.0, for the team Web')
  assert.equal(grantSentence({ ...granted, teamName: '' }), 'left <2.0.0, for a team that is gone')
  assert.equal(grantSentence({ ...granted, versions: '', scope: 'deployment' }), 'every version of left, for everybody')
})
