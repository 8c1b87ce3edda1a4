import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import {
  base,
  type FeedbackGatehouse,
  head,
  openFeedbackGatehouse,
  patch,
  sarif,
} from '../../../test/servers/feedback-gatehouse.ts'
import { startGitLabService } from '../../sandbox/code-hosts/gitlab-service.ts'

let gatehouse: FeedbackGatehouse
let gitlab: Awaited<ReturnType<typeof startGitLabService>>
let id: string
before(async () => {
  gitlab = await startGitLabService()
  gatehouse = await openFeedbackGatehouse()
  const credential = gitlab.addToken('robot')
  const host = { kind: 'gitlab', apiUrl: `${gitlab.apiUrl}/`, owners: ['acme/platform'], auth: 'token', credential }
  const connected = await gatehouse.connect(host)
  assert.deepEqual(connected.check, { ok: true, account: 'robot', problem: '' })
  id = connected.codeHost.id
})
after(async () => {
  await gatehouse?.close()
  await gitlab?.close()
})
beforeEach(() => {
  gitlab.control.trouble = undefined
  gitlab.control.lostAnswer = undefined
})

async function mergeRequest(repository: string, more: object = {}) {
  await gatehouse.pullRequests.send(repository, sarif([]))
  return gitlab.world.addPull(repository, 7, { head, files: [{ path: 'src/a.js', patch }], ...more })
}

const statusesOf = (name: string) =>
  gitlab.world.repositories.get(name)!.statuses.map(({ commit, key, state }) => ({ commit, key, state }))

test('a merge request gets a status, one comment, and threads on changed lines that are resolved with their findings', async () => {
  const request = await mergeRequest('acme/platform/web/shop')
  await gatehouse.scan('acme/platform/web/shop', [{ rule: 'no-eval' }, { rule: 'beside', line: 3 }])
  assert.deepEqual(statusesOf('acme/platform/web/shop'), [{ commit: head, key: 'gatehouse', state: 'success' }])
  assert.match(request.comments[0]!.body, /### Gatehouse: 2 findings/)
  assert.deepEqual(
    request.lineComments.map(({ at }) => [at!.line, at!.oldLine]),
    [
      [2, undefined],
      [3, 2],
    ],
    'a line that was not added is named on both sides',
  )
  await gatehouse.scan('acme/platform/web/shop', [{ rule: 'beside', line: 3 }])
  assert.deepEqual(
    request.lineComments.map(({ resolved }) => resolved),
    [true, false],
  )
  assert.match(request.lineComments[0]!.body, /no longer open/)
  await gatehouse.scan('acme/platform/web/shop', [{ rule: 'no-eval' }, { rule: 'beside', line: 3 }])
  assert.deepEqual(
    request.lineComments.map(({ resolved }) => resolved),
    [false, false],
  )
  assert.equal(request.comments.length, 1)
})

test('a thread that a person resolved stays resolved', async () => {
  const request = await mergeRequest('acme/platform/resolved')
  await gatehouse.scan('acme/platform/resolved', [{ rule: 'no-eval' }])
  request.lineComments[0]!.resolved = true
  await gatehouse.pullRequests.setMode('block')
  await gatehouse.scan('acme/platform/resolved', [{ rule: 'no-eval' }, { rule: 'other', line: 4 }])
  await gatehouse.pullRequests.setMode('comment')
  assert.deepEqual(
    request.lineComments.map(({ resolved }) => resolved),
    [true, false],
  )
})

test('a status that is what it should be is left, and one that is not is changed', async () => {
  await mergeRequest('acme/platform/status')
  const states = () => statusesOf('acme/platform/status').map(({ state }) => state)
  await gatehouse.scan('acme/platform/status', [])
  await gatehouse.scan('acme/platform/status', [{ rule: 'no-eval' }])
  assert.deepEqual(states(), ['success'], 'GitLab lets no status become what it is')
  await gatehouse.pullRequests.setMode('block')
  await gatehouse.scan('acme/platform/status', [{ rule: 'other', line: 4 }])
  await gatehouse.pullRequests.setMode('comment')
  assert.deepEqual(states(), ['success', 'failed'])
  assert.equal((await gatehouse.lastDelivery(id)).outcome, 'delivered')
})

test('a branch of another project gets comments and no status', async () => {
  for (const [repository, fromRepository] of [
    ['acme/platform/forked', 'somebody/forked'],
    ['acme/platform/orphaned', null],
  ] as const) {
    const request = await mergeRequest(repository, { fromRepository })
    await gatehouse.scan(repository, [{ rule: 'no-eval' }])
    assert.deepEqual(statusesOf(repository), [])
    assert.deepEqual([request.comments.length, request.lineComments.length], [1, 1])
    const { detail } = await gatehouse.lastDelivery(id)
    assert.match(detail, /The branch is in another project, so no commit status was set\./)
  }
})

test('a try whose answers are lost has one effect', async () => {
  const request = await mergeRequest('acme/platform/lost')
  const lost = new Set<string>()
  gitlab.control.lostAnswer = ({ method, path }) => {
    const what = `${method} ${path.join('/')}`
    if (method !== 'POST' || lost.has(what)) return undefined
    lost.add(what)
    return { status: 502 }
  }
  await gatehouse.scan('acme/platform/lost', [{ rule: 'no-eval' }])
  assert.equal(lost.size, 3)
  assert.equal(statusesOf('acme/platform/lost').length, 1)
  assert.deepEqual([request.comments.length, request.lineComments.length], [1, 1])
})

test('merged results are about the head; a merge request that is over is ended', async () => {
  await mergeRequest('acme/platform/merged-results')
  const merged = 'd'.repeat(40)
  gitlab.world.repositories.get('acme/platform/merged-results')!.commits.set(merged, [base, head])
  await gatehouse.scan('acme/platform/merged-results', [], { commit: merged })
  assert.deepEqual(statusesOf('acme/platform/merged-results'), [{ commit: head, key: 'gatehouse', state: 'success' }])
  const over = await mergeRequest('acme/platform/over', { state: 'closed' })
  await gatehouse.scan('acme/platform/over', [{ rule: 'no-eval' }])
  assert.deepEqual(over.comments, [])
  assert.deepEqual(await gatehouse.pullRequests.standing('acme/platform/over', 7), ['no-eval ENDED'])
})

test('a comment of somebody else that begins like ours is left', async () => {
  const request = await mergeRequest('acme/platform/copied')
  await gatehouse.scan('acme/platform/copied', [{ rule: 'no-eval' }])
  const { body } = request.comments[0]!
  request.comments[0]!.by = 'somebody'
  request.lineComments[0]!.by = 'somebody'
  await gatehouse.scan('acme/platform/copied', [{ rule: 'other', line: 4 }])
  assert.equal(request.comments[0]!.body, body)
  assert.equal(request.comments[1]!.by, 'robot')
})

test('what GitLab refuses is told', async () => {
  await mergeRequest('acme/platform/refused')
  gitlab.control.trouble = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : undefined)
  await gatehouse.scan('acme/platform/refused', [{ rule: 'no-eval' }])
  const { outcome, detail } = await gatehouse.lastDelivery(id)
  assert.equal(outcome, 'failed')
  assert.match(detail, /Give the token the scope api and the role Developer/)
})
