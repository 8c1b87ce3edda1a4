import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { composerLock } from './reader.ts'

const lock = `{
  "content-hash": "x",
  "packages": [
    {
      "name": "acme/app",
      "version": "v1.2.0",
      "dist": { "type": "zip", "url": "https://user:pw@repo.example/app.zip?token=abc" },
      "require": { "php": ">=8", "Acme/Base": "^1", "ext-json": "*" },
      "license": ["MIT", "GPL-2.0-only OR LGPL-2.1-only"]
    },
    { "name": "acme/base", "version": "1.0.0", "license": ["BSD-3-Clause"], "source": { "url": "https://g.example/b.git" } },
    { "name": "acme/here", "version": "dev-main", "dist": { "type": "path", "url": "./here" } }
  ],
  "packages-dev": [{ "name": "acme/test", "version": "dev-master", "require": { "acme/base": "*" } }]
}`

test('a version that is a number is one', () => {
  const { items } = readString(composerLock, '{"packages": [{"name": "a/b", "version": 20180828}], "packages-dev": []}')
  assert.equal(items[0]?.version, '20180828')
})

test('licences are a choice, addresses lose credentials, paths are left out', () => {
  const { items, problems } = readString(composerLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, development, licence, resolved, dependsOn, line }) => [
      key,
      transitivity,
      development,
      licence,
      resolved,
      dependsOn,
      line,
    ]),
    [
      [
        'acme/app@v1.2.0',
        'DIRECT',
        false,
        'MIT OR (GPL-2.0-only OR LGPL-2.1-only)',
        'https://repo.example/app.zip',
        ['acme/base@1.0.0'],
        4,
      ],
      ['acme/base@1.0.0', 'UNKNOWN', false, 'BSD-3-Clause', 'https://g.example/b.git', [], 11],
      ['acme/test@dev-master', 'DIRECT', true, '', '', ['acme/base@1.0.0'], 14],
    ],
  )
})

for (const text of ['[]', '{}', '{"packages": {"a": 1}}']) {
  test(`another format: ${text}`, () => {
    const reading = readString(composerLock, text)
    assert.deepEqual(parts(reading), [])
    assert.equal(reading.problems[0]?.fatal, true)
  })
}

test('an entry without a name is a problem, the others are read', () => {
  const reading = readString(composerLock, '{"packages": [{"version": "1"}, 7, {"name": "a/b", "version": "1"}]}')
  assert.deepEqual(parts(reading), ['a/b@1'])
  assert.equal(itemNamed(reading, 'a/b').transitivity, 'DIRECT')
  assert.deepEqual(
    reading.problems.map(({ code }) => code),
    ['bad-entry', 'bad-entry'],
  )
})

agreesWithOtherReaders(composerLock, { scalibr: 'composerlock', osvDetector: 'ComposerLock', folder: 'composer-lock' })
survivesMutation(composerLock, lock)
