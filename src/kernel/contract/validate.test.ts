import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { didYouMean } from '../text/did-you-mean.ts'
import type { FieldError } from './fault.ts'
import { NumberCursor } from './pagination.ts'
import { IdParameter, IdString, Name, OneOf, OrNull, RepositoryName, slugOf, Timestamp } from './schema.ts'
import { validate } from './validate.ts'

function faultsOf(schema: TSchema, value: unknown): string[] {
  const errors: FieldError[] = []
  validate(schema, value, '', errors)
  return errors.map(({ pointer, detail }) => `${pointer} ${detail}`)
}

const cases: [string, TSchema, unknown, string[]][] = [
  [
    'a nested fault',
    Type.Object({ a: Type.Object({ b: Type.Integer() }) }),
    { a: { b: 'x' } },
    ["/a/b must be an integer, is the string 'x'"],
  ],
  [
    'in an array',
    Type.Array(Type.Boolean()),
    [true, 1, null],
    ['/1 must be a boolean, is 1', '/2 must be a boolean, is null'],
  ],
  ['escaped pointers', Type.Object({}), { 'a/b~c': 1 }, ["/a~1b~0c is not known: 'a/b~c'"]],
  ['a missing field', Type.Object({ a: Type.String() }), {}, ['/a is required']],
  [
    'an inherited name is not a field',
    Type.Object({ a: Type.Optional(Type.String()) }),
    { toString: 1 },
    ["/toString is not known: 'toString'; known: a"],
  ],
  ['an array for an object', Type.Object({}), [], [' must be an object, is an array']],
  ['an enumeration', OneOf(['RED', 'GREEN'], ''), 'GREN', [" must be one of RED, GREEN; did you mean 'GREEN'?"]],
  ['an enumeration with an empty name', OneOf(['', 'RED'], ''), 'x', [" must be one of '', RED"]],
  [
    'more than a number can hold',
    Type.Integer(),
    '99999999999999999999',
    [' must be at most 9007199254740991, is 99999999999999999999'],
  ],
  ['a number that was rounded', Type.Integer(), 2 ** 60, [' must be at most 9007199254740991, is 1152921504606847000']],
  ['too many entries', Type.Array(Type.Integer(), { maxItems: 2 }), [1, 2, 3], [' must have at most 2 entries, has 3']],
  ['twice in a set', Type.Array(Type.String(), { uniqueItems: true }), ['a', 'b', 'a'], ["/2 'a' is already in /0"]],
  ['a string too long', Type.String({ maxLength: 2 }), 'abc', [' must have 0 to 2 characters']],
  ['emoji, each a character', Name, '🚀'.repeat(200), []],
  ['an emoji too many', Name, '🚀'.repeat(201), [' must have 1 to 200 characters']],
  [
    'six emoji for twelve characters',
    Type.String({ minLength: 12, maxLength: 200 }),
    '🚀'.repeat(6),
    [' must have 12 to 200 characters'],
  ],
  ['a number out of range', Type.Integer({ minimum: 1, maximum: 5 }), 9, [' must be between 1 and 5, is 9']],
  [
    'not a date',
    Timestamp,
    '2026-02-30T00:00:00Z',
    [' must be an RFC 3339 date-time, for example 2026-01-31T12:00:00Z'],
  ],
  ['null where allowed', OrNull(Timestamp), null, []],
  ['an id as a number', IdString, 17, []],
  [
    'a free object that is too deep',
    Type.Record(Type.String(), Type.Unknown()),
    deep(40),
    [`${'/a'.repeat(33)} must not be nested more than 32 levels deep`],
  ],
]

for (const [name, schema, value, expected] of cases) {
  test(`validation: ${name}`, () => assert.deepEqual(faultsOf(schema, value), expected))
}

function deep(levels: number): object {
  let value: object = {}
  for (let i = 0; i < levels; i++) value = { a: value }
  return value
}

test('digits become the integer, numbers the string of an id, times those of UTC', () => {
  const errors: FieldError[] = []
  assert.equal(validate(Type.Integer(), '0012', '', errors), 12)
  assert.equal(validate(IdString, 12, '', errors), '12')
  assert.equal(validate(Timestamp, '2026-01-31T12:00:00+05:30', '', errors), '2026-01-31T06:30:00.000Z')
  assert.deepEqual(errors, [])
})

test('ids and cursors that are digits on the wire are numbers here', () => {
  for (const [schema, value, expected] of [
    [IdParameter, '12', 12],
    [IdParameter, 12, 12],
    [NumberCursor(), '12', 12],
    [NumberCursor(), '', undefined],
    [NumberCursor(2_147_483_647), '2147483647', 2_147_483_647],
  ] as const) {
    const errors: FieldError[] = []
    assert.equal(validate(schema, value, '', errors), expected)
    assert.deepEqual(errors, [])
  }
  for (const value of ['', 'x', '-1', '1.5', ' 1', '9007199254740993', '12345678901234567', -1, null, [], {}]) {
    assert.equal(faultsOf(IdParameter, value).length, 1, String(value))
  }
  for (const value of ['x', '-1', '2147483648', -1, null, 1.5]) {
    assert.deepEqual(faultsOf(NumberCursor(2_147_483_647), value).length, 1, String(value))
  }
})

test('repositories are called what code hosts let them be called', () => {
  for (const name of ['shop/web', 'a', 'a/b/c', '.github', 'Web Shop/checkout', "Müller's (alt) & Co/東京-app"]) {
    assert.deepEqual(faultsOf(RepositoryName, name), [], name)
  }
  for (const name of ['/a', 'a/', 'a//b', ' a', 'a ', 'a /b', 'a/ b', 'a\nb', 'a\\b', 'a<b', 'a\u202eb', 'a%20b']) {
    assert.equal(faultsOf(RepositoryName, name).length, 1, name)
  }
})

test('at most a hundred faults are told', () => {
  assert.equal(faultsOf(Type.Array(Type.Boolean()), Array(5_000).fill(1)).length, 100)
})

test('the nearest name is near', () => {
  assert.equal(didYouMean('nmae', ['name', 'namespace']), 'name')
  assert.equal(didYouMean('zzz', ['name', 'namespace']), undefined)
  assert.equal(didYouMean('x'.repeat(1_000_000), ['name']), undefined)
})

test('slugs', () => {
  assert.equal(slugOf('  Über Team & Co. '), 'uber-team-co')
  assert.equal(slugOf('日本'), '')
  assert.match(slugOf('a'.repeat(500)), /^a{80}$/)
})
