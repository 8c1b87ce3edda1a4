import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRule } from './rule.ts'

test('the help of a rule is its Markdown, else its text, and no longer than 4,000 characters', () => {
  assert.equal(readRule({ help: { text: 'plain', markdown: '**bold**' } }).help, '**bold**')
  assert.equal(readRule({ help: { text: 'plain' } }).help, 'plain')
  assert.equal(readRule({ help: { text: 'x'.repeat(9_000) } }).help.length, 4_000)
  assert.equal(readRule({}).help, '')
})

test('a rule leads to an address of the web, or nowhere', () => {
  const helpUri = (address: unknown) => readRule({ helpUri: address }).helpUri
  assert.equal(helpUri('https://rules.example/a?b#c'), 'https://rules.example/a?b#c')
  for (const address of [
    'javascript:alert(1)',
    'http://rules.example',
    ' https://a',
    'https://',
    'data:text/html,x',
    7,
  ])
    assert.equal(helpUri(address), '', String(address))
})
