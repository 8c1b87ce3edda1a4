import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from './filter.ts'
import { readPatch } from './patch.ts'
import { ScimFault } from './scim-fault.ts'
import { patchUser, readUser } from './user-attributes.ts'
import { userFilters } from './user-store.ts'

const filters: [text: string, expected: string[][]][] = [
  ['userName eq "a@b.c"', [['userName', 'a@b.c']]],
  ['USERNAME EQ "a\\"b"', [['userName', 'a"b']]],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [['userName', 'a']]],
  [
    'externalId eq "1" and userName eq "a"',
    [
      ['externalId', '1'],
      ['userName', 'a'],
    ],
  ],
  ['emails[type eq "work"].value eq "a@b.c"', [['address', 'a@b.c']]],
]
for (const [text, expected] of filters) {
  test(`the filter ${text} is read`, () => {
    const read = parseFilter(text, userFilters)
    assert.deepEqual(
      read.map(({ attribute, value }) => [attribute, value]),
      expected,
    )
  })
}

const refused = [
  '',
  'userName',
  'userName sw "a"',
  'userName eq "a" or externalId eq "b"',
  'not (userName eq "a")',
  '(userName eq "a")',
  'userName eq a',
  'userName eq "a',
  'userName eq "a" and',
  'userName eq "a" anduserName eq "b"',
  'title eq "x"',
  'constructor eq "x"',
  'userName pr',
  'userName eq "a\\u0000"',
  `userName eq "${'x'.repeat(3_000)}"`,
  Array.from({ length: 6 }, () => 'userName eq "a"').join(' and '),
]
for (const text of refused) {
  test(`the filter '${text.slice(0, 40)}' is refused as invalidFilter`, () => {
    assert.throws(
      () => parseFilter(text, userFilters),
      (error) => error instanceof ScimFault && error.scimType === 'invalidFilter',
    )
  })
}

const user = readUser({ userName: 'a@example.com', name: { givenName: 'A' }, externalId: '1' })

const patches: [what: string, operations: unknown, expected: string][] = [
  ['an operation that is none', [{ op: 'move', path: 'userName', value: 'x' }], 'invalidSyntax'],
  ['no operations', [], 'invalidSyntax'],
  ['a path that cannot be read', [{ op: 'replace', path: 'emails[', value: 'x' }], 'invalidPath'],
  ['a removal of nothing in particular', [{ op: 'remove' }], 'invalidPath'],
  ['a value that is not an object', [{ op: 'add', value: 'x' }], 'invalidValue'],
  ['active that is neither', [{ op: 'replace', path: 'active', value: 'maybe' }], 'invalidValue'],
  ['a name that is a number', [{ op: 'replace', path: 'displayName', value: 7 }], 'invalidValue'],
  ['a removal of the name', [{ op: 'remove', path: 'userName' }], 'mutability'],
  ['an address that is none', [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'x' }], 'invalidValue'],
]
for (const [what, Operations, expected] of patches) {
  test(`${what}: ${expected}`, () => {
    assert.throws(
      () => patchUser(user, readPatch({ Operations })),
      (error) => error instanceof ScimFault && error.scimType === expected,
    )
  })
}

test('what is not kept is passed over: extensions, other addresses, passwords, ids', () => {
  const Operations = [
    { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: '7' },
    { op: 'Add', path: 'emails[type eq "home"].value', value: 'home@example.com' },
    { op: 'Replace', value: { password: 'secret', id: '99', meta: {}, 'urn:x:y': {} } },
  ]
  assert.deepEqual(patchUser(user, readPatch({ Operations })), user)
})

test('a removal takes a part of the name and the id of the directory away', () => {
  const Operations = [
    { op: 'Remove', path: 'name.givenName' },
    { op: 'Remove', path: 'externalId' },
  ]
  assert.deepEqual(patchUser(user, readPatch({ Operations })), { ...user, externalId: '', names: {} })
})
