import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { parseDocument, stringify } from 'yaml'
import { often } from '../../../test/depth.ts'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import { parseYaml, parseYamlDocuments } from './safe-yaml.ts'

const data = realData()

const readable: [source: string, value: unknown][] = [
  ['', ''],
  ['# only a comment', ''],
  ['text', 'text'],
  ['version: 1.10', { version: '1.10' }],
  ['a: true\nb: null\nc:\nd: ~', { a: 'true', b: 'null', c: '', d: '~' }],
  ['a:\n  b:\n    c: d\n  e: f\ng: h', { a: { b: { c: 'd' }, e: 'f' }, g: 'h' }],
  ['a:\n- 1\n- 2\nb: 3', { a: ['1', '2'], b: '3' }],
  ['a:\n  - b: 1\n    c: 2\n  - - x\n    - y\n  -\n    z', { a: [{ b: '1', c: '2' }, ['x', 'y'], 'z'] }],
  ['{a: 1, "b":2, c: {d: [x, y,]}, e: , f}', { a: '1', b: '2', c: { d: ['x', 'y'] }, e: '', f: '' }],
  ['a: [one\n  two,\n  # comment\n  three]', { a: ['one two', 'three'] }],
  ["'a: b': 'it''s'", { 'a: b': "it's" }],
  ['"a\\tb": "\\x41\\u00e9\\U0001F600\\\n  c"', { 'a\tb': 'Aé😀c' }],
  ['a: "one\n  two\n\n  three"', { a: 'one two\nthree' }],
  ['a: one\n  two\n\n  three # not this\nb: c#d', { a: 'one two\nthree', b: 'c#d' }],
  ['a: http://x.y:80/z\nb@npm:^1: c', { a: 'http://x.y:80/z', 'b@npm:^1': 'c' }],
  [
    'a: |\n  one\n   two\n\nb: |-\n  x\nc: >\n  one\n  two\n\n  three\n',
    { a: 'one\n two\n', b: 'x', c: 'one two\nthree\n' },
  ],
  ['a: |2+\n    x\n\n', { a: '  x\n\n' }],
  ['? a long key\n: value\n? "b"\n:\n  c: d', { 'a long key': 'value', b: { c: 'd' } }],
  ['a: 1\na: 2', { a: '2' }],
  ['a: 1\r\nb: 2\r\n', { a: '1', b: '2' }],
  ['---\na: 1\n...\n', { a: '1' }],
  ['__proto__:\n  x: 1\nconstructor: 2', JSON.parse('{"__proto__": {"x": "1"}, "constructor": "2"}')],
]

test('reads the YAML that lockfiles are written in', () => {
  for (const [source, value] of readable) {
    const outcome = parseYaml(source)
    assert.equal(outcome.problem, undefined, source)
    assert.deepEqual(plain(outcome.value!.value), value, source)
  }
})

const refused: [name: string, source: string, code: string, line: number][] = [
  ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]', 'yaml-feature', 1],
  ['an alias', 'a: 1\nb: *a', 'yaml-feature', 2],
  ['a merge', '<<: *a', 'yaml-feature', 1],
  ['a tag', 'a: !!js/function x', 'yaml-feature', 1],
  ['a directive', '%TAG ! x\n---\na: 1', 'yaml-feature', 1],
  ['a list as a key', '? - a\n: b', 'yaml-feature', 1],
  ['a tab as indentation', 'a:\n\tb: c', 'not-yaml', 2],
  ['an open quote', 'a: "b\nc: d', 'not-yaml', 2],
  ['an open quote at the end', 'a: "b', 'truncated', 1],
  ['an open bracket', 'a: {b: c,', 'truncated', 1],
  ['crossed brackets', 'a: [b}', 'not-yaml', 1],
  ['a key without value', 'a: 1\nb', 'not-yaml', 2],
  ['a key inside a value', 'a: b: c', 'not-yaml', 1],
  ['too much indentation', 'a: 1\n  b: 2', 'not-yaml', 2],
  ['too little indentation', 'a:\n    b: 1\n  c: 2', 'not-yaml', 3],
  ['text after a quote', 'a: "b" c', 'not-yaml', 1],
  ['two documents', '--- a\n--- b', 'many-documents', 0],
  ['deep brackets', '['.repeat(1_000_000), 'too-deep', 1],
  ['deep maps', '{a: '.repeat(100_000), 'too-deep', 1],
  ['deep dashes', '- '.repeat(100_000), 'too-deep', 1],
  ['deep questions', '? '.repeat(100_000), 'too-deep', 1],
  ['deep indentation', Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 'too-deep', 65],
]

test('refuses what is broken, too deep or could blow up, and says where', () => {
  for (const [name, source, code, line] of refused) {
    const { problem } = parseYaml(source)
    assert.deepEqual([problem?.code, problem?.line, problem?.fatal], [code, line, true], name)
  }
})

test('reads long hostile text to its end or to a problem', () => {
  const hostile = [
    '[',
    ',',
    '"',
    "'",
    '- ',
    '? ',
    ': ',
    '#\n',
    '\n',
    '---\n',
    '|\n',
    '&a ',
    'a: ',
    'a\n',
    '{a,',
    '\t',
    '\\',
    ' a:\n',
  ]
  for (const piece of hostile) {
    for (const start of ['', 'a: [', 'a: "', 'a: |\n ', 'a: b\n ']) {
      const { value, problem } = parseYamlDocuments(start + piece.repeat(200_000))
      assert.ok(value || problem, piece)
    }
  }
})

test('reads the documents of a stream', () => {
  const values = (source: string) => parseYamlDocuments(source).value!.map(({ value }) => plain(value))
  assert.deepEqual(values('---\na: 1\n---\nb: 2\n'), [{ a: '1' }, { b: '2' }])
  assert.deepEqual(values('--- # empty\n---\na: 1\n...\n# end\n'), ['', { a: '1' }])
  assert.deepEqual(values('# nothing\n'), [])
})

test('gives the lines of the wanted entries', () => {
  const { value } = parseYaml('a: 1\n\npackages:\n\n  x/y:\n    z: 1\n  w: {v: 1}\n', {
    locate: (path) => path.length === 2 && path[0] === 'packages',
  })
  assert.deepEqual(
    [...value!.lines],
    [
      ['/packages/x~1y', 5],
      ['/packages/w', 7],
    ],
  )
})

const scalar = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '\\', '[', '{', ',', '\t', '|', '?') }),
)
const key = scalar.filter((text) => text !== '') // an empty key is written as nothing at all
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

test('reads what the general parser writes', () => {
  const styles = fc.record({
    lineWidth: fc.constantFrom(0, 20, 80),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
    defaultStringType: fc.constantFrom(
      'PLAIN' as const,
      'QUOTE_DOUBLE' as const,
      'QUOTE_SINGLE' as const,
      'BLOCK_LITERAL' as const,
      'BLOCK_FOLDED' as const,
    ),
  })
  fc.assert(
    fc.property(tree, styles, (value, style) => {
      const source = stringify(value, { ...style, schema: 'failsafe', aliasDuplicateObjects: false, simpleKeys: true })
      fc.pre(isDeepStrictEqual(generalReading(source), plain(value))) // some texts it cannot write itself
      assert.deepEqual(plain(parseYaml(source).value?.value), plain(value), source)
    }),
    { numRuns: often(1000) },
  )
})

test('reads the YAML lockfiles of the real data as the general parser does', {
  skip: data === undefined ? withoutRealData : false,
}, () => {
  const folders = [
    'lockfiles/pnpm-lock',
    'lockfiles/yarn-berry',
    'lockfiles/scalibr-fixtures/pubspec',
    'sbom/scalibr-fixtures/spdx',
  ]
  const files = folders
    .flatMap((folder) =>
      readdirSync(join(data!, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(data!, folder, file)),
    )
    .filter((file) => /\.(yaml|yml|lock)$/.test(file) && statSync(file).size < 250_000) // the general parser is slow
  assert.ok(files.length > 10)
  for (const file of files) {
    const source = readFileSync(file, 'utf8')
    assert.deepEqual(plain(parseYaml(source).value?.value), generalReading(source), file)
  }
})

function generalReading(source: string): unknown {
  const document = parseDocument(source, { schema: 'failsafe', uniqueKeys: false, prettyErrors: false })
  return document.errors.length > 0 ? undefined : plain(document.toJS())
}

/** Ordinary objects for comparing, with '' for null. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value, (_, item) => item ?? ''))
}
