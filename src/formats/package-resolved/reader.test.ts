import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { packageResolved } from './reader.ts'

const first = `{
  "object": {
    "pins": [
      {
        "package": "Alamofire",
        "repositoryURL": "https://user:pw@github.com/Alamofire/Alamofire.git",
        "state": { "branch": null, "revision": "abc", "version": "5.4.3" }
      },
      { "package": "Branch", "repositoryURL": "git@github.com:a/b.git", "state": { "branch": "main", "version": null } }
    ]
  },
  "version": 1
}`
const third = `{
  "originHash": "x",
  "pins": [
    { "identity": "swift-nio", "kind": "remoteSourceControl", "location": "https://github.com/apple/swift-nio", "state": { "version": "2.0.0" } },
    { "identity": "mona.LinkedList", "kind": "registry", "location": "", "state": { "version": "1.2.0" } },
    { "identity": "here", "kind": "localSourceControl", "location": "/src/here", "state": { "version": "1.0.0" } }
  ],
  "version": 3
}`

test('version 1', () => {
  const { items, problems } = readString(packageResolved, first)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ name, version, line }) => [name, version, line]),
    [
      ['https://github.com/Alamofire/Alamofire.git', '5.4.3', 4],
      ['git@github.com:a/b.git', '', 9],
    ],
  )
})

test('versions 2 and 3', () => {
  const reading = readString(packageResolved, third)
  assert.deepEqual(reading.problems, [])
  assert.deepEqual(parts(reading), ['https://github.com/apple/swift-nio@2.0.0', 'mona.LinkedList@1.2.0'])
  assert.deepEqual(parts(readString(packageResolved, third.replace('"version": 3', '"version": 2'))), parts(reading))
})

test('without pins it is another format', () => {
  assert.equal(readString(packageResolved, '{"version": 2}').problems[0]?.code, 'wrong-format')
})

survivesMutation(packageResolved, first)
survivesMutation(packageResolved, third)
