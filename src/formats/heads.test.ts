import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachLine, headLines } from './text/lines.ts'
import { tomlHead } from './toml/toml-head.ts'
import { xmlRootTag } from './xml/xml-head.ts'

test('lines end with or without a carriage return', () => {
  assert.deepEqual(
    [...eachLine('a\r\nb\n\nc')].map(({ text, line }) => [text, line]),
    [
      ['a', 1],
      ['b', 2],
      ['', 3],
      ['c', 4],
    ],
  )
  assert.deepEqual(headLines('a\nb\nc', 2), ['a', 'b'])
})

test('a full head may end inside a line, which is then not shown', () => {
  assert.deepEqual(headLines(`${'x'.repeat(65_000)}\ncut of`, 9), ['x'.repeat(65_000)])
})

test('keys and headers of TOML, but none from inside texts and arrays', () => {
  const head = tomlHead(
    '# made by a tool\nversion = 1\nlist = [\n  "x = 1",\n]\n[[package]]\nname = "a"\ntext = """\nfake = 1\n"""\nsource = { x = 1 }\n',
  )
  assert.equal(head?.comment, '# made by a tool')
  assert.deepEqual([...head!.keys.get('')!], ['version', 'list'])
  assert.deepEqual([...head!.keys.get('package')!], ['name', 'text', 'source'])
  assert.equal(head!.value('package', 'source'), '{ x = 1 }')
  assert.equal(head!.value('package', 'fake'), '')
  for (const other of ['', '{"a": 1}', '<a/>', 'plain words\n', '# only a comment\n']) {
    assert.equal(tomlHead(other), undefined, other)
  }
})

const roots: [document: string, tag: string][] = [
  ['<?xml version="1.0"?>\n<!-- <x> -->\n<project xmlns="m">', 'project xmlns="m"'],
  ['<!DOCTYPE project><project>', 'project'],
  ['  <a/>', 'a/'],
  ['<!-- never closed', ''],
  ['text', ''],
  ['', ''],
]
for (const [document, tag] of roots) {
  test(`the root of ${JSON.stringify(document)}`, () => assert.equal(xmlRootTag(document), tag))
}
