import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../kernel/contract/fault.ts'
import type { SemgrepProject } from './contract.ts'
import { targetOf } from './target.ts'

const project = (more: Partial<SemgrepProject>): SemgrepProject => ({
  repository: 'acme/shop',
  branch: 'refs/heads/main',
  commit: 'ABCDEF1234',
  is_full_scan: true,
  ...more,
})

const cases: [what: string, given: Partial<SemgrepProject>, repository: string, ref: string, pullRequest: number][] = [
  ['a push', {}, 'acme/shop', 'refs/heads/main', 0],
  ['a part of a monorepo', { repo_display_name: 'acme/shop/api' }, 'acme/shop/api', 'refs/heads/main', 0],
  ['a merge request of GitLab', { branch: 'fix', pull_request_id: '12' }, 'acme/shop', 'fix', 12],
  [
    'a pull request of GitHub without its number',
    { branch: 'refs/pull/7/merge', pull_request_id: null },
    'acme/shop',
    'refs/pull/7/merge',
    7,
  ],
  ['an id that is not a number', { pull_request_id: 'abc' }, 'acme/shop', 'refs/heads/main', 0],
  ['a number that no pull request has', { pull_request_id: '9999999999' }, 'acme/shop', 'refs/heads/main', 0],
]

for (const [what, given, repository, ref, pullRequest] of cases) {
  test(`what is scanned: ${what}`, () => {
    const target = targetOf(project(given), '1.184.0')
    assert.deepEqual([target.repository, target.ref, target.pullRequest], [repository, ref, pullRequest])
    assert.deepEqual([target.commit, target.client], ['abcdef1234', 'semgrep/1.184.0'])
  })
}

test('a checkout of no branch is refused with what to do', () => {
  for (const branch of [null, '', 'HEAD']) {
    const refused = (error: unknown) => error instanceof Fault && /SEMGREP_BRANCH/.test(error.message)
    assert.throws(() => targetOf(project({ branch }), '1'), refused)
  }
})
