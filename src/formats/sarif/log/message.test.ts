import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResult } from '../test-log.ts'

const rules = [
  { id: 'R', messageStrings: { default: { text: "'{0}' is {1}." } }, fullDescription: { text: 'About R.' } },
]
const tool = { driver: { name: 'T', rules, globalMessageStrings: { shared: { text: 'Shared {0}.' } } } }

const table: { what: string; message: object; text: string }[] = [
  { what: 'plain', message: { text: 'Plain.', markdown: '**Bold.**' }, text: 'Plain.' },
  { what: 'arguments', message: { text: '{0} and {1} and {0}', arguments: ['a', 'b'] }, text: 'a and b and a' },
  { what: 'doubled braces', message: { text: '{{0}} {0}', arguments: ['x'] }, text: '{0} x' },
  { what: 'no arguments, so braces are braces', message: { text: 'Use {0} here' }, text: 'Use {0} here' },
  { what: 'an argument that is missing', message: { text: '{0} {5}', arguments: ['x'] }, text: 'x {5}' },
  {
    what: 'an argument that looks like a placeholder',
    message: { text: '{0}{1}', arguments: ['{1}', 'y'] },
    text: '{1}y',
  },
  { what: 'by id in the rule', message: { id: 'default', arguments: ['x', 'wrong'] }, text: "'x' is wrong." },
  { what: 'by id in the tool', message: { id: 'shared', arguments: ['text'] }, text: 'Shared text.' },
  { what: 'by an id that is not there', message: { id: 'constructor' }, text: 'About R.' },
  {
    what: 'links into the log',
    message: { text: 'Tainted by [this\\]](3), [that](sarif:/runs/0).' },
    text: 'Tainted by this], that.',
  },
  {
    what: 'links to pages',
    message: { text: 'See [docs](https://example.com).' },
    text: 'See [docs](https://example.com).',
  },
  { what: 'nothing but markdown', message: { markdown: 'Only *this*' }, text: 'Only *this*' },
  { what: 'no message', message: {}, text: 'About R.' },
  { what: 'what a database cannot store', message: { text: 'a\u0000b\ud800c' }, text: 'ab\ufffdc' },
]

for (const { what, message, text } of table) {
  test(`message: ${what}`, () => assert.equal(readResult({ tool }, { ruleId: 'R', message }).message, text))
}

test('a message is no longer than 4,000 characters, however often it repeats an argument', () => {
  const message = { text: '{0}'.repeat(1300), arguments: ['x'.repeat(4000)] }
  assert.ok(readResult({ tool }, { message }).message.length <= 4000)
})
