import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from './call.ts'
import { asProblem, problemFrom } from './problem.ts'

test('a problem document is shown as it is', () => {
  const text = JSON.stringify({
    code: 'validation_failed',
    title: 'No',
    detail: 'The name is missing.',
    requestId: 'r1',
    errors: [{ pointer: 'body/name', detail: 'required' }],
  })
  const problem = problemFrom(400, text, new Headers({ 'retry-after': '7' }))
  assert.deepEqual(
    [problem.message, problem.code, problem.requestId, problem.retryAfter, problem.passes],
    ['The name is missing.', 'validation_failed', 'r1', 7, false],
  )
  assert.equal(problem.about('/name'), 'required')
})

test('what is no problem document says its status, and nothing of the page it came with', () => {
  for (const text of ['<html>secret</html>', '', 'null', '[1]', '"x"', '{"detail":5}']) {
    const problem = problemFrom(502, text, new Headers({ 'retry-after': 'soon' }))
    assert.equal(problem.message, 'The server answered with status 502 and no explanation.')
    assert.deepEqual([problem.passes, problem.retryAfter], [true, undefined])
  }
  assert.equal(asProblem(new TypeError('x is not a function')).status, -1)
})

test('addresses of operations are filled in and escaped', () => {
  const params = { deploymentId: 1, vulnerabilityId: 'a/b?c' } as object
  assert.equal(addressOf('getVulnerability', { params }), '/api/sca/deployments/1/vulnerabilities/a%2Fb%3Fc')
  assert.throws(() => addressOf('getVulnerability', { params: { deploymentId: 1 } as object }), /needs vulnerabilityId/)
})
