import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemId } from './ecosystem.ts'
import { ecosystems } from './registry.ts'
import { checkVersionLines } from './version-lines.ts'

test('versions that are not quite SemVer, and where ecosystems differ', () => {
  const table: [EcosystemId, string][] = [
    ['npm', '1.2 = 1.2.0'],
    ['npm', '1.2.3.4 > 1.2.3'],
    ['npm', '1.2.3beta < 1.2.3'],
    ['npm', '1.2.x < 1.2.0'],
    ['npm', '1.2.3- = 1.2.3'],
    ['npm', '1.0.0-1.00 = 1.0.0-1.0'],
    ['npm', 'latest < 0.0.0-0'],
    ['npm', '10-alpha > 9.99.99'],
    ['nuget', '1.0.0-RC.1 = 1.0.0-rc.1'],
    ['cargo', '1.0.0-RC.1 < 1.0.0-rc.1'],
    ['nuget', '1.0.0.1 > 1.0.0'],
    ['pub', '1.0.0 < 1.0.0+1'],
    ['pub', '1.0.0+9 < 1.0.0+10'],
    ['pub', '1.0.0+1 < 1.0.0+a'],
    ['pub', '1.0.0-a+9 < 1.0.0'],
    ['hex', '1.0.0+9 = 1.0.0+10'],
    ['swiftpm', 'v1.0.0 = 1.0.0'],
  ]
  for (const [id, line] of table) assert.deepEqual(checkVersionLines(ecosystems[id], line).disagreements, [], id)
})
