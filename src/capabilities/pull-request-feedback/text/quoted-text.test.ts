import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { clientFromNpm } from '../../../../test/clients/package-clients.ts'
import { quoted } from './quoted-text.ts'

const table: [text: string, quoted: string][] = [
  ['plain', '`plain`'],
  ['', '`-`'],
  [' \n ', '`-`'],
  ['two\nlines\r\n\tand more', '`two lines and more`'],
  ['a `b` c', '`` a `b` c ``'],
  ['```', '```` ``` ````'],
  ['@everybody <img src=x> [a](b) #12 /close', '`@everybody <img src=x> [a](b) #12 /close`'],
  ['turn\u202eed a\u200bround', '`turned around`'],
  ['too long for it', '`too long…`'],
]

test('text of a scan is one line of code', () => {
  for (const [text, expected] of table) assert.equal(quoted(text, text.startsWith('too') ? 9 : 200), expected, text)
})

type Node = { type: string; literal: string | null; firstChild: Node | null; next: Node | null }

test('whatever it says, a reader of Markdown sees code and nothing else', async (t) => {
  const file = await clientFromNpm('commonmark', '0.31.2', 'lib/index.js', ['--ignore-scripts'])
  if (!file) return t.skip('commonmark 0.31.2 cannot be had from npm here')
  const { Parser } = await import(pathToFileURL(file).href)
  const pieces = [
    '`',
    '``',
    '```',
    '\n',
    '\n\n',
    '|',
    '\\',
    '@you',
    '<!--',
    '-->',
    '<b>',
    '](x)',
    '![',
    '#1',
    '- ',
    '    ',
    '&lt;',
    '*',
    'a',
    ' ',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join('')),
    fc.string(),
  )
  fc.assert(
    fc.property(text, (any) => {
      const paragraph: Node = new Parser().parse(`- **High**: ${quoted(any, 50)}, rule`).firstChild.firstChild
        .firstChild.firstChild
      const kinds: string[] = []
      for (let node: Node | null = paragraph; node; node = node.next) kinds.push(node.type)
      assert.deepEqual(kinds, ['strong', 'text', 'code', 'text', 'text'].slice(0, kinds.length))
      assert.ok(kinds.includes('code'))
    }),
    { numRuns: 500 },
  )
})
