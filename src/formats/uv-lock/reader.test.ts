import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { uvLock } from './reader.ts'

const lock = `version = 1
revision = 3
requires-python = ">=3.10"

[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "flask" }]

[package.optional-dependencies]
fast = [{ name = "orjson" }]

[package.dev-dependencies]
dev = [{ name = "pytest" }, { name = "numpy", version = "1.0" }]

[[package]]
name = "flask"
version = "3.0"
source = { registry = "https://user:pw@pypi.example/simple" }
dependencies = [{ name = "numpy", version = "2.0" }]

[[package]]
name = "numpy"
version = "1.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "numpy"
version = "2.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "orjson"
version = "3.0"
source = { git = "https://github.com/ijl/orjson?rev=main#abc" }

[[package]]
name = "pluggy"
version = "1.5"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "pytest"
version = "8.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "pluggy" }]
`

test('the workspace is the root: what it needs is direct, what only its groups need is for developing', () => {
  const { items, problems } = readString(uvLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, development, dependsOn }) => [key, transitivity, development, dependsOn]),
    [
      ['flask@3.0', 'DIRECT', false, ['numpy@2.0']],
      ['numpy@1.0', 'DIRECT', true, []],
      ['numpy@2.0', 'TRANSITIVE', false, []],
      ['orjson@3.0', 'DIRECT', false, []],
      ['pluggy@1.5', 'TRANSITIVE', true, []],
      ['pytest@8.0', 'DIRECT', true, ['pluggy@1.5']],
    ],
  )
  const flask = itemNamed({ items, problems }, 'flask')
  assert.deepEqual([flask.resolved, flask.line], ['https://pypi.example/simple', 17])
})

test('what a script or a workspace without a package at its root asks for stands in the manifest', () => {
  const manifest = `[manifest]
requirements = [{ name = "pluggy", specifier = ">=1" }]

[manifest.dependency-groups]
lint = [{ name = "orjson" }]

[[package]]
name = "app"`
  const reading = readString(uvLock, lock.replace('[[package]]\nname = "app"', manifest))
  const standing = (name: string) => {
    const { transitivity, development } = itemNamed(reading, name)
    return [transitivity, development]
  }
  assert.deepEqual(standing('pluggy'), ['DIRECT', false])
  assert.deepEqual(standing('orjson'), ['DIRECT', false], 'an extra of the project needs it too')
  const script = readString(
    uvLock,
    `version = 1\n${manifest.replace('name = "app"', 'name = "orjson"\nversion = "1"')}`,
  )
  assert.deepEqual([script.items[0]?.transitivity, script.items[0]?.development], ['DIRECT', true])
})

test('another version of the format is not guessed at', () => {
  const reading = readString(uvLock, lock.replace('version = 1', 'version = 2'))
  assert.deepEqual(parts(reading), [])
  assert.equal(reading.problems[0]?.code, 'wrong-format')
})

agreesWithOtherReaders(uvLock, { scalibr: 'uvlock', osvDetector: 'UvLock', folder: 'uv' })
survivesMutation(uvLock, lock)
