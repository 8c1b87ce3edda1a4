import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { pylock } from './reader.ts'

const lock = `lock-version = "1.0"
created-by = "test"

[[packages]]
name = "attrs"
version = "25.1.0"
index = "https://pypi.org/simple"

[[packages]]
name = "cattrs"
version = "24.1.2"
dependencies = [{ name = "attrs" }]

[[packages]]
name = "from-git"
vcs = { type = "git", url = "https://token@github.com/a/b.git", commit-id = "abc" }

[[packages]]
name = "mine"
directory = { path = ".", editable = true }
`

test('folders are left out, a commit has no version, the graph is kept where it is given', () => {
  const reading = readString(pylock, lock)
  assert.deepEqual(reading.problems, [])
  assert.deepEqual(parts(reading), ['attrs@25.1.0', 'cattrs@24.1.2', 'from-git@'])
  assert.deepEqual(itemNamed(reading, 'cattrs').dependsOn, ['attrs@25.1.0'])
  assert.equal(itemNamed(reading, 'attrs').transitivity, 'UNKNOWN')
  assert.equal(itemNamed(reading, 'cattrs').transitivity, 'DIRECT')
  assert.equal(itemNamed(reading, 'from-git').resolved, 'https://github.com/a/b.git')
  assert.equal(itemNamed(reading, 'from-git').line, 14)
})

for (const text of ['lock-version = "2.0"\npackages = []\n', 'a = 1\n', '[[package]]\nname = "a"\n']) {
  test(`another format: ${JSON.stringify(text)}`, () => {
    assert.equal(readString(pylock, text).problems[0]?.code, 'wrong-format')
  })
}

agreesWithOtherReaders(pylock, { scalibr: 'pylock', osvDetector: 'Pylock', folder: 'pylock' })
survivesMutation(pylock, lock)
