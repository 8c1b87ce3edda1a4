import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { mixLock } from './reader.ts'

const lock = `%{
  "decimal": {:hex, :decimal, "2.0.0", "a78296", [:mix], [], "hexpm", "346661"},
  "ecto": {:hex, :ecto, "3.5.5", "48219a", [:mix], [{:decimal, "~> 1.6 or ~> 2.0", [hex: :decimal, repo: "hexpm", optional: false]}, {:jason, "~> 1.0", [hex: :jason, repo: "hexpm", optional: true]}], "hexpm", "98dd0e"},
  # a comment
  "foe": {:git, "https://token@github.com/my-org/foe.git", "a9574a", [branch: "main"]},
  "mine" => {:path, "../mine"},
  "renamed": {:hex, :"real_name", "1.0.0", "x"},
}
`

test('hex and git packages with their graph; paths are left out', () => {
  const { items, problems } = readString(mixLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn, line }) => [key, transitivity, dependsOn, line]),
    [
      ['decimal@2.0.0', 'UNKNOWN', [], 2],
      ['ecto@3.5.5', 'DIRECT', ['decimal@2.0.0'], 3],
      ['foe@', 'DIRECT', [], 5],
      ['real_name@1.0.0', 'DIRECT', [], 7],
    ],
  )
  assert.equal(itemNamed({ items, problems }, 'foe').resolved, 'https://github.com/my-org/foe.git')
})

test('what comes before a fault is read, and the fault is said', () => {
  const cut = readString(mixLock, lock.slice(0, 200))
  assert.deepEqual(parts(cut), ['decimal@2.0.0'])
  assert.deepEqual([cut.problems[0]?.code, cut.problems[0]?.fatal], ['truncated', false])
  const broken = readString(mixLock, lock.replace('"foe": {', '"foe": ('))
  assert.deepEqual(parts(broken), ['decimal@2.0.0', 'ecto@3.5.5'])
  assert.deepEqual([broken.problems[0]?.code, broken.problems[0]?.line], ['bad-syntax', 5])
})

test('nothing, an empty map, another format', () => {
  assert.equal(readString(mixLock, '').problems[0]?.fatal, true)
  assert.deepEqual(readString(mixLock, '%{\n}\n'), { items: [], problems: [] })
  assert.equal(readString(mixLock, '{"a": 1}').problems[0]?.fatal, true)
})

agreesWithOtherReaders(mixLock, { scalibr: 'mixlock', osvDetector: 'MixLock', tolerated: ['bad-entry'] })
survivesMutation(mixLock, lock)
