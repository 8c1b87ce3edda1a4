import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { parseJsonc } from './jsonc.ts'
import { entries, jsonPointer, member, parseJson, text } from './safe-json.ts'

const broken: [source: string, code: string, line: number][] = [
  ['', 'truncated', 1],
  ['{', 'truncated', 1],
  ['{"a"', 'truncated', 1],
  ['{"a":\n', 'truncated', 2],
  ['{"a":\n1,', 'truncated', 2],
  ['["abc', 'truncated', 1],
  ['["abc\\', 'truncated', 1],
  ['["abc\\u00', 'truncated', 1],
  ['[tr', 'truncated', 1],
  ['[\n\nhello]', 'not-json', 3],
  ['hello', 'not-json', 1],
  ['{"a":1,}', 'not-json', 1],
  ['{"a":1}\n}', 'not-json', 2],
  ['{a:1}', 'not-json', 1],
  ['["a\nb"]', 'not-json', 1],
  ['["\\x"]', 'not-json', 1],
  ['[01]', 'not-json', 1],
  ['[1.]', 'not-json', 1],
  ['[}', 'not-json', 1],
  ['['.repeat(65) + ']'.repeat(65), 'too-deep', 1],
  ['['.repeat(1_000_000), 'too-deep', 1],
]

test('says what is wrong with broken JSON and on which line', () => {
  for (const [source, code, line] of broken) {
    const { problem } = parseJson(source)
    const shown = JSON.stringify(source.slice(0, 20))
    assert.deepEqual([problem?.code, problem?.line, problem?.fatal], [code, line, true], shown)
    assert.ok(problem!.detail.length < 300)
  }
})

test('names the column', () => {
  assert.match(parseJson('{"a":\n  x}').problem!.detail, /line 2, column 3: 'x}'/)
})

test('accepts exactly what the built-in parser accepts', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9\\n"',
    '"',
    '\\',
    '1',
    '-0.5e+3',
    '-',
    'true',
    'null',
    ' ',
    '\n',
  ]
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))
  const cut = fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1)))
  fc.assert(
    fc.property(fc.oneof(fc.json(), soup, cut), (source) => {
      let expected: unknown
      try {
        expected = { value: JSON.parse(source) }
      } catch {}
      const { value } = parseJson(source)
      assert.deepEqual(value && { value: value.value }, expected)
    }),
    { numRuns: often(2000) },
  )
})

test('finds own members only', () => {
  const { value } = parseJson('{"__proto__": {"polluted": "yes"}, "constructor": "c", "a": "1", "a": "2"}')
  const root = value!.value
  assert.equal(text(root, 'a'), '2')
  assert.equal(text(root, 'constructor'), 'c')
  assert.equal(text(root, 'polluted'), '')
  assert.deepEqual(member(root, '__proto__'), { polluted: 'yes' })
  assert.equal(member(root, 'toString'), undefined)
  assert.equal(member('text', 'length'), undefined)
  assert.deepEqual(entries([1]), [])
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('gives the lines of the wanted entries', () => {
  const source = '{"skip": {"x": 1},\n "a": {\n  "x/y~": {},\n  "l": [1,\n2] } }'
  const { value } = parseJson(source, { locate: (path) => path[0] === 'a' && path.length > 1 })
  assert.deepEqual(
    [...value!.lines],
    [
      ['/a/x~1y~0', 3],
      ['/a/l', 4],
      ['/a/l/0', 4],
      ['/a/l/1', 5],
    ],
  )
  assert.equal(jsonPointer(['a', 'x/y~']), '/a/x~1y~0')
})

test('keeps no pointer of a huge key', () => {
  const source = JSON.stringify({ ['k'.repeat(100_000)]: { a: 1 }, b: 1 })
  assert.deepEqual([...parseJson(source, { locate: () => true }).value!.lines.keys()], ['/b'])
})

const withComments: [source: string, value: unknown][] = [
  ['{"a": 1,}', { a: 1 }],
  ['[1, 2, ]', [1, 2]],
  ['// one\n{"a": /* two */ 1, // three\n}', { a: 1 }],
  ['{"a": "// no /* comment */ ,}"}', { a: '// no /* comment */ ,}' }],
  ['{"a": "\\"//", "b": [1,/**/],}', { a: '"//', b: [1] }],
]

test('reads JSON with comments and trailing commas', () => {
  for (const [source, value] of withComments) assert.deepEqual(parseJsonc(source).value?.value, value, source)
  for (const source of ['[,]', '[1,,]', '{"a":1 /* open', '{,}']) assert.ok(parseJsonc(source).problem, source)
})
