import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotName } from './snapshot-head.ts'
import { categoryOf, checkoutFolder, subjectOf } from './subject.ts'

test('what a ref is about', () => {
  assert.deepEqual(subjectOf('refs/heads/feature/a', 'main'), { ref: 'feature/a' })
  assert.deepEqual(subjectOf('refs/tags/v1', 'main'), { ref: 'v1' })
  const pull = { ref: 'refs/pull/7/merge', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main' }
  assert.deepEqual(subjectOf('refs/pull/7/merge', 'refs/heads/main'), pull)
})

test('where the checkout was', () => {
  assert.equal(checkoutFolder('file:///home/runner/work/'), 'file:///home/runner/work')
  assert.equal(checkoutFolder(undefined), '')
})

test('the category of a job', () => {
  assert.equal(categoryOf('a.yml:job', '{"b":1,"a":"x"}'), 'a.yml:job/a:x/b:1')
  assert.equal(categoryOf('a.yml:job', 'linux'), 'a.yml:job/linux')
  assert.equal(categoryOf('', ''), '')
})

test('snapshots that look alike have names of their own', () => {
  const name = (correlator: string, detector: string) => snapshotName({ sha: '', ref: '', correlator, detector })
  assert.notEqual(name('a b', 'c'), name('a', 'b c'))
  assert.notEqual(name('a/b', 'c'), name('a-b', 'c'))
  assert.match(name('build / linux (x64)', 'npm'), /^build - linux -x64- npm [0-9a-f]{8}$/)
})
