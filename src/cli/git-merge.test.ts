import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { describeMerge, mergedBy } from './git-merge.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-merge-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const messages: [message: string, merged: number[]][] = [
  ['Merge pull request #12 from shop/new-parser\n\nA new parser', [12]],
  ['A new parser (#12)\n\n* one\n* two (#7)', [12]],
  ['A new parser (#12)', [12]],
  ['Merged PR 12: A new parser', [12]],
  ['Merged in new-parser (pull request #12)\n\nA new parser', [12]],
  ["Merge branch 'new-parser' into 'main'\n\nA new parser\n\nSee merge request shop/web!12", [12]],
  ['A new parser, see #12 and !13', []],
  ['Fix #12 (#0)', []],
  ['Too large (#99999999999)', []],
  ['', []],
]
for (const [message, merged] of messages) {
  test(`merges ${merged.join() || 'nothing'}: ${JSON.stringify(message)}`, () =>
    assert.deepEqual(mergedBy(message, {}), merged))
}

const issuesApart = [
  { GITLAB_CI: 'true' },
  { BITBUCKET_BUILD_NUMBER: '1' },
  { TF_BUILD: 'True', BUILD_REPOSITORY_PROVIDER: 'TfsGit' },
]
test('an issue in the message of a commit is no pull request where both have numbers of their own', () => {
  for (const env of issuesApart) assert.deepEqual(mergedBy('Mend the parser (#12)', env), [])
  assert.deepEqual(mergedBy('A new parser\n\nSee merge request shop/web!12', { GITLAB_CI: 'true' }), [12])
  const hosted = { TF_BUILD: 'True', BUILD_REPOSITORY_PROVIDER: 'GitHub' }
  assert.deepEqual(mergedBy('A new parser (#12)', hosted), [12])
})

test('git tells what the commit of a checkout merges, and nothing about another commit', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      encoding: 'utf8',
    }).trim()
  assert.deepEqual(await describeMerge(folder, 'abcdef1'), {}, 'no checkout')
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'First')
  const first = git('rev-parse', 'HEAD')
  assert.deepEqual(await describeMerge(folder, first), {})
  git('checkout', '-q', '-b', 'change')
  git('commit', '-q', '--allow-empty', '-m', 'Change')
  const change = git('rev-parse', 'HEAD')
  git('checkout', '-q', 'main')
  git('merge', '-q', '--no-ff', '-m', 'Merge pull request #3 from change', 'change')
  const parents = { parents: [first, change], mergedPullRequests: [3] }
  assert.deepEqual(await describeMerge(folder, git('rev-parse', 'HEAD').toUpperCase()), parents)
  assert.deepEqual(await describeMerge(folder, first), {})
})
