import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionsHold, subjectOf } from './job-claims.ts'

const holds = (id: unknown, value: string) =>
  conditionsHold({ repository_id: id }, [{ claim: 'repository_id', values: [value] }])

test('an id counts as text and as a number', () => {
  assert.equal(holds('74', '74'), true)
  assert.equal(holds(74, '74'), true)
})

test('a number that cannot be told from its neighbours is nobody', () => {
  const parsed = JSON.parse('9007199254740993')
  assert.equal(holds(parsed, '9007199254740992'), false)
  assert.equal(holds('9007199254740993', '9007199254740992'), false)
  assert.equal(holds('9007199254740993', '9007199254740993'), true)
  assert.equal(holds(1e21, '1e+21'), false)
})

test('a job of GitLab speaks for a branch or a tag, and says which', () => {
  const trust = { provider: 'gitlab', repositoryClaim: '', refClaim: '' } as const
  const refOf = (claims: object) => subjectOf(trust, { project_path: 'shop/web', ref: 'main', ...claims })?.ref
  assert.equal(refOf({ ref_type: 'branch' }), 'main')
  assert.equal(refOf({ ref_type: 'tag' }), 'refs/tags/main')
  for (const ref_type of [undefined, '', 'Tag', 'constructor']) assert.equal(refOf({ ref_type }), undefined)
})
