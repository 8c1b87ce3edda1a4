import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { nugetLock } from './reader.ts'

const lock = `{
  "version": 2,
  "dependencies": {
    "net8.0": {
      "Serilog": { "type": "Direct", "requested": "[3.0, )", "resolved": "3.0.1", "dependencies": { "system.memory": "4.5" } },
      "System.Memory": { "type": "Transitive", "resolved": "4.5.5" },
      "core": { "type": "Project" }
    },
    "net6.0": {
      "System.Memory": { "type": "CentralTransitive", "resolved": "4.5.4" },
      "Serilog": { "type": "Transitive", "resolved": "3.0.1", "dependencies": { "System.Memory": "4.5" } }
    }
  }
}`

test('each framework has its own graph, projects are left out', () => {
  const { items, problems } = readString(nugetLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn, line }) => [key, transitivity, dependsOn, line]),
    [
      ['Serilog@3.0.1', 'DIRECT', ['System.Memory@4.5.5', 'System.Memory@4.5.4'], 5],
      ['System.Memory@4.5.5', 'TRANSITIVE', [], 6],
      ['System.Memory@4.5.4', 'TRANSITIVE', [], 10],
    ],
  )
})

test('an unknown version of the format is not guessed at', () => {
  const reading = readString(nugetLock, '{"version": 0, "dependencies": {}}')
  assert.deepEqual(parts(reading), [])
  assert.equal(reading.problems[0]?.code, 'wrong-format')
})

test('names are matched whatever their case', () => {
  assert.deepEqual(itemNamed(readString(nugetLock, lock), 'Serilog').dependsOn[0], 'System.Memory@4.5.5')
})

agreesWithOtherReaders(nugetLock, { scalibr: 'packageslockjson', osvDetector: 'NuGetLock', folder: 'nuget-lock' })
survivesMutation(nugetLock, lock)
