import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { pipfileLock } from './reader.ts'

const lock = `{
  "_meta": { "pipfile-spec": 6, "sources": [] },
  "default": {
    "django": { "version": "==4.2", "index": "pypi" },
    "from-git": { "git": "https://user:pw@github.com/a/b.git", "ref": "abc" },
    "loose": { "version": "*" },
    "mine": { "path": ".", "editable": true }
  },
  "develop": {
    "django": { "version": "==4.2" },
    "pytest": { "version": "==8.0" }
  }
}`

test('versions lose their operator, paths are left out, what is in both sections is not only for developing', () => {
  const reading = readString(pipfileLock, lock)
  assert.deepEqual(reading.problems, [])
  assert.deepEqual(parts(reading), ['django@4.2', 'from-git@', 'loose@', 'pytest@8.0'])
  assert.equal(itemNamed(reading, 'django').development, false)
  assert.equal(itemNamed(reading, 'pytest').development, true)
  assert.equal(itemNamed(reading, 'pytest').line, 11)
  assert.equal(itemNamed(reading, 'from-git').resolved, 'https://github.com/a/b.git')
})

test('keys that reach into objects are only names', () => {
  const reading = readString(
    pipfileLock,
    '{"_meta":{},"default":{"__proto__":{"version":"==1"},"constructor":{"version":"==2"}}}',
  )
  assert.deepEqual(parts(reading), ['__proto__@1', 'constructor@2'])
})

// osv-detector leaves packages without a version out; we keep what comes from a repository.
agreesWithOtherReaders(pipfileLock, {
  scalibr: 'pipfilelock',
  osvDetector: 'PipenvLock',
  folder: 'pipfile',
  extra: (ours) => ours.version === '',
})
survivesMutation(pipfileLock, lock)
