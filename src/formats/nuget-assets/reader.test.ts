import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { recogniseFormat } from '../registry.ts'
import { nugetAssets } from './reader.ts'

const lock = `{
  "version": 3,
  "targets": {
    "net8.0": {
      "Serilog/3.0.1": { "type": "package", "dependencies": { "system.memory": "4.5.5" } },
      "System.Memory/4.5.5": { "type": "package" },
      "coverlet.collector/6.0.0": { "type": "package", "dependencies": { "Only.Tests": "1.0.0" } },
      "Only.Tests/1.0.0": { "type": "package" },
      "Core/1.0.0": { "type": "project", "dependencies": { "Of.Core": "2.0.0" } },
      "Of.Core/2.0.0": { "type": "package" }
    },
    "net8.0/linux-x64": { "Serilog/3.0.1": { "type": "package" } }
  },
  "libraries": {
    "Serilog/3.0.1": { "type": "package", "path": "serilog/3.0.1" },
    "System.Memory/4.5.5": { "type": "package" }
  },
  "projectFileDependencyGroups": { "net8.0": ["Core >= 1.0.0", "Serilog >= 3.0.0", "coverlet.collector >= 6.0.0"] },
  "project": {
    "frameworks": {
      "net8.0": {
        "targetAlias": "net8.0",
        "dependencies": {
          "Serilog": { "target": "Package", "version": "[3.0.0, )", "suppressParent": "All" },
          "coverlet.collector": {
            "include": "Runtime, Build, Native, ContentFiles, Analyzers, BuildTransitive",
            "suppressParent": "All",
            "target": "Package"
          }
        }
      }
    }
  }
}`

test('a graph for each framework, what the project asks for, what it needs to develop', () => {
  const { items, problems } = readString(nugetAssets, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, development, dependsOn, line }) => [
      key,
      transitivity,
      development,
      dependsOn,
      line,
    ]),
    [
      ['Serilog@3.0.1', 'DIRECT', false, ['System.Memory@4.5.5'], 15],
      ['System.Memory@4.5.5', 'TRANSITIVE', false, [], 16],
      ['coverlet.collector@6.0.0', 'DIRECT', true, ['Only.Tests@1.0.0'], 0],
      ['Only.Tests@1.0.0', 'TRANSITIVE', true, [], 0],
      ['Of.Core@2.0.0', 'TRANSITIVE', false, [], 0],
    ],
  )
})

test('it is known by its content, and an unknown version is not guessed at', () => {
  assert.equal(recogniseFormat(Buffer.from(lock), '')?.id, 'nuget-assets')
  assert.equal(readString(nugetAssets, '{"version":1,"targets":{}}').problems[0]?.code, 'wrong-format')
  assert.equal(readString(nugetAssets, '{"version":3,"targets":{"a":{"x":{}}}}').problems[0]?.code, 'bad-entry')
})

survivesMutation(nugetAssets, lock)
