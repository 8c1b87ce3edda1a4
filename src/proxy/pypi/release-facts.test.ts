import assert from 'node:assert/strict'
import { test } from 'node:test'
import { projectFacts } from './release-facts.ts'

type File = Parameters<typeof projectFacts>[0][number]

function file(filename: string, version: string, day: number, more: Partial<File> = {}): File {
  const uploadedAt = new Date(Date.UTC(2026, 2, day))
  return { filename, version, yanked: undefined, size: 10_000, uploadedAt, isAttested: false, ...more }
}

const signalsOf = (files: File[], version: string) =>
  projectFacts(files)
    .get(version)!
    .signals.map(({ signal }) => signal)

test('what has no wheel runs code; where those before it had one, that is a signal', () => {
  const files = [
    file('a-1.0-py3-none-any.whl', '1.0', 1),
    file('a-1.0.tar.gz', '1.0', 1),
    file('a-1.1.tar.gz', '1.1', 2),
  ]
  assert.deepEqual(signalsOf(files, '1.1'), ['source_only'])
  assert.match(projectFacts(files).get('1.1')!.installScript!, /^setup\.py/)
  assert.equal(projectFacts(files).get('1.0')!.installScript, undefined)
  assert.deepEqual(signalsOf(files.slice(1), '1.1'), [], 'it never had one')
})

test('the second of two releases within a week shows what the first did', () => {
  const files = [
    file('a-1.0-py3-none-any.whl', '1.0', 1, { isAttested: true }),
    file('a-1.1.tar.gz', '1.1', 20),
    file('a-1.2.tar.gz', '1.2', 21),
  ]
  assert.deepEqual(signalsOf(files, '1.2'), ['source_only', 'trust_lost'])
})

test('attestations that are lost are a signal', () => {
  const before = file('a-1.0-py3-none-any.whl', '1.0', 1, { isAttested: true })
  assert.deepEqual(signalsOf([before, file('a-1.1-py3-none-any.whl', '1.1', 2)], '1.1'), ['trust_lost'])
  assert.deepEqual(signalsOf([before, file('a-1.1-py3-none-any.whl', '1.1', 2, { isAttested: true })], '1.1'), [])
})

test('a version is withdrawn when all of its files are', () => {
  const [one, two] = [file('a-1.0-py3-none-any.whl', '1.0', 1, { yanked: 'broken' }), file('a-1.0.tar.gz', '1.0', 1)]
  assert.equal(projectFacts([one, two]).get('1.0')!.deprecated, undefined)
  assert.equal(projectFacts([one]).get('1.0')!.deprecated, 'broken')
})

test('an index that gives no times gives no signals', () => {
  const untimed = { uploadedAt: undefined }
  const files = [file('a-1.0-py3-none-any.whl', '1.0', 1, untimed), file('a-1.1.tar.gz', '1.1', 2, untimed)]
  assert.deepEqual(signalsOf(files, '1.1'), [])
})
