import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { podfileLock } from './reader.ts'

const lock = `PODS:
  - Alamofire (5.8.0)
  - Firebase/Core (10.1.0):
    - Firebase/CoreOnly
    - GoogleUtilities/Environment (~> 7.8)
  - Firebase/CoreOnly (10.1.0)
  - "GoogleUtilities/Environment (7.12.0)"
  - Mine (0.1.0)
  - Patched (1.0.0)

DEPENDENCIES:
  - Alamofire (~> 5.0)
  - Firebase/Core
  - Mine (from \`../Mine\`)
  - "Patched (from \`https://github.com/a/b.git\`)"

SPEC REPOS:
  trunk:
    - Alamofire

EXTERNAL SOURCES:
  Mine:
    :path: "../Mine"
  Patched:
    :git: https://user:pw@github.com/a/b.git

SPEC CHECKSUMS:
  Alamofire: abc

PODFILE CHECKSUM: def

COCOAPODS: 1.14.3
`

test('subspecs are parts of their pod, paths are left out', () => {
  const { items, problems } = readString(podfileLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn, line }) => [key, transitivity, dependsOn, line]),
    [
      ['Alamofire@5.8.0', 'DIRECT', [], 2],
      ['Firebase@10.1.0', 'DIRECT', ['GoogleUtilities@7.12.0'], 3],
      ['GoogleUtilities@7.12.0', 'TRANSITIVE', [], 7],
      ['Patched@1.0.0', 'DIRECT', [], 9],
    ],
  )
  assert.equal(items[3]?.resolved, 'https://github.com/a/b.git')
})

test('a map where a name belongs is passed over', () => {
  const strange = 'PODS:\n  - A (1.0):\n    - B: 1\n    - B\n  - B (2.0)\nDEPENDENCIES:\n  - A: 1\n'
  const { items, problems } = readString(podfileLock, strange)
  assert.deepEqual(
    [items.map(({ key, dependsOn }) => [key, dependsOn]), problems],
    [
      [
        ['A@1.0', ['B@2.0']],
        ['B@2.0', []],
      ],
      [],
    ],
  )
})

test('no pods, a pod without a version, another format', () => {
  assert.deepEqual(readString(podfileLock, 'PODS: []\n'), { items: [], problems: [] })
  const reading = readString(podfileLock, 'PODS:\n  - Odd\n  - A (1.0)\n')
  assert.deepEqual(parts(reading), ['A@1.0'])
  assert.equal(reading.problems[0]?.code, 'bad-entry')
  assert.equal(readString(podfileLock, 'a: b\n').problems[0]?.code, 'wrong-format')
})

survivesMutation(podfileLock, lock)
