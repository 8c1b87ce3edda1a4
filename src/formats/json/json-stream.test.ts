import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import type { Problem } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonLimits, type JsonPath, readJsonStream } from './json-stream.ts'

type Select = (path: JsonPath, kind: JsonKind) => JsonChoice

function walk(
  document: string | Uint8Array,
  select: Select = () => 'parse',
  cuts: number[] = [],
  limits: JsonLimits = {},
) {
  const problems: Problem[] = []
  const bytes = Buffer.from(document)
  const text = bytes.subarray(bytes[0] === 0xef ? 3 : 0)
  const parts = [...readJsonStream(cutAt(bytes, cuts), select, problems, limits)].map(({ begin, end, ...part }) => {
    assert.deepEqual(JSON.parse(text.toString('utf8', begin, end)), part.value)
    return part
  })
  return { parts, problems }
}

function* cutAt(bytes: Uint8Array, cuts: number[]): Generator<Uint8Array> {
  let from = 0
  for (const cut of cuts.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b)) {
    yield bytes.slice(from, cut)
    from = cut
  }
  yield bytes.slice(from)
}

const everywhere = (document: string) => Array.from({ length: Buffer.byteLength(document) }, (_, i) => i)

test('any document cut anywhere parses as JSON.parse does', () => {
  const document = fc.json({ maxDepth: 5, stringUnit: 'binary' })
  fc.assert(
    fc.property(document, fc.array(fc.nat(), { maxLength: 20 }), fc.constantFrom(0, 1, 2), (text, cuts, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      const { parts, problems } = walk(spaced, () => 'parse', cuts)
      assert.deepEqual(problems, [])
      assert.deepEqual(parts, [{ path: [], value: JSON.parse(spaced), line: 1 }])
    }),
    { numRuns: often(500) },
  )
})

test('entering all of a document meets each scalar at its path', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
      const { parts, problems } = walk(text, () => 'enter', cuts)
      assert.deepEqual(problems, [])
      const met = parts.map(({ path, value }) => [path.join('/'), value])
      assert.deepEqual(met, scalars(text))
    }),
    { numRuns: often(500) },
  )
})

function scalars(text: string): [string, unknown][] {
  const found: [string, unknown][] = []
  const visit = (value: unknown, path: (string | number)[]): void => {
    if (Array.isArray(value)) for (const [i, member] of value.entries()) visit(member, [...path, i])
    else if (value !== null && typeof value === 'object') {
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key])
    } else found.push([path.join('/'), value])
  }
  visit(JSON.parse(text), [])
  return found
}

test('a document changed at random is refused exactly where JSON.parse refuses it, whether skipped, entered or parsed', () => {
  const change = fc.record({
    at: fc.nat(),
    put: fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '0', '-', '.', 'e', 'x', '\n'),
  })
  const choice = fc.constantFrom<JsonChoice>('skip', 'enter', 'parse')
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      choice,
      (text, changes, chosen) => {
        let mutant = text
        for (const { at, put } of changes) {
          const place = at % (mutant.length + 1)
          mutant = mutant.slice(0, place) + put + mutant.slice(place + 1)
        }
        const { problems } = walk(mutant, () => chosen, [3, 5, 8])
        assert.equal(problems.length, isJson(mutant) ? 0 : 1, `${JSON.stringify(mutant)}: ${problems[0]?.detail}`)
      },
    ),
    { numRuns: often(3000) },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const refused: { what: string; document: string | Uint8Array; code: string; line?: number; pointer?: string }[] = [
  { what: 'nothing', document: '', code: 'truncated' },
  { what: 'only spaces', document: ' \n ', code: 'truncated', line: 2 },
  { what: 'an end inside an object', document: '{"a": [\n1, {"b"', code: 'truncated', line: 2, pointer: '/a/1/b' },
  { what: 'an end inside a string', document: '["abc', code: 'truncated', pointer: '/0' },
  { what: 'an end inside a literal', document: 'tru', code: 'truncated' },
  { what: 'an end after a minus', document: '-', code: 'truncated' },
  { what: 'a second document', document: '{}\n{}', code: 'not-json', line: 2 },
  { what: 'a trailing comma', document: '[1,]', code: 'not-json', pointer: '/1' },
  { what: 'a wrong bracket', document: '{"a": [1}', code: 'not-json' },
  { what: 'a leading zero', document: '[01]', code: 'not-json' },
  { what: 'a bare fraction', document: '[1.]', code: 'not-json' },
  { what: 'a bare exponent', document: '[1e+]', code: 'not-json' },
  { what: 'a word', document: '[NaN]', code: 'not-json' },
  { what: 'single quotes', document: "{'a': 1}", code: 'not-json' },
  { what: 'a raw line break in a string', document: '["a\nb"]', code: 'not-json' },
  { what: 'an unknown escape', document: '["\\x"]', code: 'not-json' },
  { what: 'a short unicode escape', document: '["\\u12g4"]', code: 'not-json' },
  { what: 'a comment', document: '{} // hello', code: 'not-json' },
  { what: 'bytes that are not UTF-8', document: Buffer.from('[\n"caf\xe9"]', 'latin1'), code: 'not-utf8', line: 2 },
  { what: 'an unfinished character at the end', document: Buffer.from([0x22, 0xe2, 0x82]), code: 'not-utf8' },
  { what: 'a surrogate in UTF-8', document: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), code: 'not-utf8' },
  { what: 'UTF-16 cut off', document: Buffer.from('\ufeff{"a":1}', 'utf16le').subarray(0, 15), code: 'not-utf8' },
  { what: 'UTF-32', document: Buffer.of(0x7b, 0, 0, 0, 0x7d, 0, 0, 0), code: 'not-utf8' },
  { what: 'deep arrays', document: '['.repeat(201), code: 'too-deep' },
  { what: 'deep arrays and objects', document: '{"a":['.repeat(100_000), code: 'too-deep' },
]

for (const { what, document, code, line = 1, pointer } of refused) {
  test(`${what} ends in a problem`, () => {
    for (const choice of ['skip', 'enter', 'parse'] as const) {
      const { problems } = walk(document, () => choice)
      assert.equal(problems.length, 1)
      assert.deepEqual(
        { code: problems[0]?.code, line: problems[0]?.line, fatal: true },
        { code, line, fatal: problems[0]?.fatal },
      )
      if (pointer !== undefined && choice === 'enter') assert.equal(problems[0]?.pointer, pointer)
    }
  })
}

test('200 levels are read, the limit can be lowered', () => {
  const document = '['.repeat(200) + ']'.repeat(200)
  assert.deepEqual(walk(document).problems, [])
  assert.equal(walk(document, () => 'skip', [], { depth: 199 }).problems[0]?.code, 'too-deep')
})

test('only what is selected is given, with its line', () => {
  const document =
    '\ufeff{\n "skip": {"x": [1, "]}"]},\n "runs": [\n  {"tool": 1, "results": [{"a": "é"},\n {}]},\n  {"results": []}]}'
  const select: Select = (path) => {
    if (path.length === 0 || path[0] === 'runs')
      return path.length === 5 ? 'parse' : path[2] === 'tool' ? 'skip' : 'enter'
    return 'skip'
  }
  for (const cuts of [[], everywhere(document)]) {
    const { parts, problems } = walk(document, (path, kind) => (path.length === 4 ? 'parse' : select(path, kind)), cuts)
    assert.deepEqual(problems, [])
    assert.deepEqual(parts, [
      { path: ['runs', 0, 'results', 0], value: { a: 'é' }, line: 4 },
      { path: ['runs', 0, 'results', 1], value: {}, line: 5 },
    ])
  }
})

test('a value that is too large is left out and said; the rest is read', () => {
  const document = JSON.stringify({ list: ['x'.repeat(50), 'y', ['z'.repeat(50)]] })
  for (const cuts of [[], everywhere(document)]) {
    const { parts, problems } = walk(document, (path) => (path.length < 2 ? 'enter' : 'parse'), cuts, {
      valueBytes: 20,
    })
    assert.deepEqual(
      parts.map(({ path, value }) => ({ path, value })),
      [{ path: ['list', 1], value: 'y' }],
    )
    assert.deepEqual(
      problems.map(({ code, pointer, fatal }) => ({ code, pointer, fatal })),
      [
        { code: 'value-too-large', pointer: '/list/0', fatal: false },
        { code: 'value-too-large', pointer: '/list/2', fatal: false },
      ],
    )
  }
})

test('after too many parts the walk ends', () => {
  const { parts, problems } = walk('[1, 2, 3, 4]', () => 'enter', [], { parts: 3 })
  assert.equal(parts.length, 3)
  assert.deepEqual(
    problems.map(({ code, fatal }) => ({ code, fatal })),
    [{ code: 'too-large', fatal: true }],
  )
})

test('the key __proto__ is a key like any other', () => {
  const document = '{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 1}}}'
  const { parts } = walk(document, (path) => (path.length === 0 ? 'enter' : 'parse'))
  assert.deepEqual(parts[0]?.path, ['__proto__'])
  assert.equal((Object.prototype as { polluted?: number }).polluted, undefined)
})

test('a repeated key is met twice', () => {
  const { parts } = walk('{"a": 1, "a": 2}', () => 'enter')
  assert.deepEqual(
    parts.map((part) => part.value),
    [1, 2],
  )
})

test('an error of the source of the bytes is not hidden', () => {
  function* broken(): Generator<Uint8Array> {
    yield Buffer.from('[1,')
    throw new Error('disk')
  }
  assert.throws(() => [...readJsonStream(broken(), () => 'skip', [])], /disk/)
})

for (const [what, document] of [
  ['with a mark', Buffer.from('\ufeff{"a":["é","😀"]}', 'utf16le')],
  ['with the bytes the other way round', Buffer.from('\ufeff{"a":["é","😀"]}', 'utf16le').swap16()],
  ['without a mark', Buffer.from('{"a":["é","😀"]}', 'utf16le')],
] as const) {
  test(`UTF-16 ${what} is read, wherever it is cut`, () => {
    for (let size = 1; size <= document.length; size++) {
      const chunks: Uint8Array[] = []
      for (let at = 0; at < document.length; at += size) chunks.push(document.subarray(at, at + size))
      const problems: Problem[] = []
      const parts = [...readJsonStream(chunks, (path) => (path.length === 0 ? 'enter' : 'parse'), problems)]
      assert.deepEqual(problems, [])
      assert.deepEqual(parts[0]?.value, ['é', '😀'])
    }
  })
}
