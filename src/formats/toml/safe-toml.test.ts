import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerLines, parseToml, tableIn, tablesIn, textIn } from './safe-toml.ts'

test('tables, texts and lines of headers', () => {
  const text = '\n[[package]]\nname = "a"\n[package.x]\ny = 9007199254740993\n\r\n[[package]]\nname = 3\n'
  const { value } = parseToml(text)
  assert.ok(value)
  const packages = tablesIn(value, 'package')
  assert.deepEqual(
    packages.map((one) => textIn(one, 'name')),
    ['a', ''],
  )
  assert.equal(tableIn(packages[0]!, 'x')?.y, 9007199254740993n)
  assert.equal(tableIn(packages[0]!, 'name'), undefined)
  assert.deepEqual(tablesIn(value, 'none'), [])
  assert.deepEqual(headerLines(text, 'package', 2), [2, 7])
  assert.deepEqual(headerLines(text, 'package', 3), [0, 0, 0])
})

test('keys of objects are only keys', () => {
  const { value } = parseToml('[__proto__]\npolluted = "yes"\n[constructor]\nname = "x"\n')
  assert.ok(value)
  assert.equal(textIn(tableIn(value, 'constructor') ?? {}, 'name'), 'x')
  assert.equal(({} as { polluted?: string }).polluted, undefined)
})

const refused: [string, string, string, number][] = [
  ['deep arrays', `a = ${'['.repeat(100_000)}`, 'too-deep', 1],
  ['a key of millions of parts', `${'a.'.repeat(1_000_000)}a = 1`, 'too-large', 0],
  ['tables without end', '[[a]]\n'.repeat(300_000), 'too-large', 0],
  ['an array cut off', 'a = 1\nb = [1,', 'truncated', 2],
  ['a string cut off', 'a = 1\nb = "x', 'truncated', 2],
  ['a broken line', 'a = 1\n<xml>\nb = 2\n', 'malformed-toml', 2],
  ['a table defined twice', '[a]\n[a]\nb = 2\n', 'malformed-toml', 2],
]
for (const [what, text, code, line] of refused) {
  test(`refuses ${what}`, () => {
    const { problem } = parseToml(text)
    assert.deepEqual([problem?.code, problem?.line, problem?.fatal], [code, line, true])
  })
}

test('dots and brackets inside texts and comments do not count as structures', () => {
  const text = `a = "${'.['.repeat(300_000)}"\nb = '${'.['.repeat(300_000)}'\nc = """\n${'.['.repeat(300_000)}\n"""\n# ${'.['.repeat(300_000)}\n`
  assert.equal(parseToml(text).problem, undefined)
})
