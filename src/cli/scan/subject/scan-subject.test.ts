import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type SubjectOptions, scanSubject } from './scan-subject.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-subject-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const known = { repository: 'a/b', ref: 'main', commit: '1f0c4b2' }
const circle = { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://git.example.com/a/b/pull/21' }

test('options outrank the environment, and a pull request makes it another kind', async () => {
  const { tool, ...scan } = await scanSubject(
    { ...known, pullRequest: 3 },
    { GATEHOUSE_REPOSITORY: 'c/d', GATEHOUSE_PULL_REQUEST: '4', GATEHOUSE_BASE_REF: 'main' },
    folder,
  )
  assert.deepEqual(scan, { ...known, kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 3, baseRef: 'main' })
  assert.match(tool!, /^gatehouse\/\d+\.\d+\.\d+/)
})

test('a service that does not know where a pull request goes leaves a scan of a branch', async () => {
  assert.equal((await scanSubject(known, circle, folder)).kind, undefined)
  const told = await scanSubject({ ...known, baseRef: 'main' }, circle, folder)
  assert.equal(told.pullRequest, 21)
})

const refusals: [title: string, options: SubjectOptions, sentence: RegExp][] = [
  ['no repository', { ref: 'main' }, /^Say --repository \(or GATEHOUSE_REPOSITORY\): git says: not a git repository/],
  ['no ref', { repository: 'a/b' }, /^Say --ref \(or GATEHOUSE_REF\): git says: not a git repository/],
  ['a name that no repository has', { ...known, repository: 'a//b' }, /repository 'a\/\/b' must match/],
  ['a ref that no branch has', { ...known, ref: 'a..b c' }, /ref 'a\.\.b c' must match/],
  ['a commit that is none', { ...known, commit: 'HEAD' }, /commit 'head' must match/],
  ['a pull request to nowhere', { ...known, pullRequest: 3 }, /^Say --base-ref \(or GATEHOUSE_BASE_REF\)/],
  ['a base without a pull request', { ...known, baseRef: 'main' }, /^Say --pull-request \(or GATEHOUSE_PULL_REQUEST\)/],
]

for (const [title, options, sentence] of refusals) {
  test(`cannot be sent: ${title}`, () =>
    assert.rejects(scanSubject(options, {}, folder), { message: sentence, exitCode: 2 }))
}
