import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { clientFromNpm } from '../../../../test/clients/package-clients.ts'
import { type FeedbackGatehouse, openFeedbackGatehouse, sarif } from '../../../../test/servers/feedback-gatehouse.ts'
import { searchAll } from '../../findings/test-findings.ts'
import { isSignedWith } from './signature.ts'

let gatehouse: FeedbackGatehouse
const github = { path: '', secret: '', id: '' }
const gitlab = { path: '', secret: '', id: '' }
before(async () => {
  gatehouse = await openFeedbackGatehouse()
  for (const [kind, host] of [
    ['github', github],
    ['gitlab', gitlab],
  ] as const) {
    const apiUrl = 'http://127.0.0.1:1'
    const owners = kind === 'github' ? ['Codertocat'] : ['gitlab']
    const body = await gatehouse.connect({ kind, apiUrl, owners, auth: 'token', credential: 'x' })
    assert.equal(body.check.ok, false)
    host.path = new URL(body.codeHost.webhookUrl).pathname
    host.secret = body.webhookSecret
    host.id = body.codeHost.id
  }
})
after(() => gatehouse?.close())

const repositories = '/api/repositories/v1/deployments/1/repositories'

type Headers = Record<string, string>
const send = (path: string, body: string, headers: Headers) =>
  gatehouse.call('POST', path, { as: '', body, headers: { 'content-type': 'application/json', ...headers } })

/** `ref STATE` of what was found on branches. */
async function onBranches(repository: string): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository], pullRequests: 'none' } })
  return found.map((one) => `${one.ref} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
}

async function endedBranches(): Promise<object[]> {
  const { events } = (await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?action=branch.end')).body
  return events.map(({ detail }: { detail: object }) => detail)
}

/** A pull request here with something open in it. */
async function introduce(repository: string, pullRequest: number, commit = 'a'.repeat(40)): Promise<void> {
  await gatehouse.pullRequests.send(repository, sarif([]))
  await gatehouse.pullRequests.send(repository, sarif([{ rule: 'no-eval' }]), { pullRequest, commit })
}

test("GitHub's own examples, signed by Octokit, end pull requests; and nothing else does", async (t) => {
  const flags = ['--ignore-scripts']
  const methods = await clientFromNpm('@octokit/webhooks', '14.2.0', 'dist-src/index.js', flags)
  const examples = await clientFromNpm('@octokit/webhooks-examples', '7.6.1', 'api.github.com/index.json', flags)
  if (!methods || !examples) return t.skip('@octokit/webhooks cannot be had from npm here')
  const { Webhooks } = await import(pathToFileURL(methods).href)
  const octokit = new Webhooks({ secret: github.secret })
  const all: { name: string; examples: { action?: string }[] }[] = JSON.parse(readFileSync(examples, 'utf8'))
  const deliver = async (name: string, event: object) => {
    const body = JSON.stringify(event)
    const signature = await octokit.sign(body)
    const signed = { bytes: Buffer.from(body), headers: { 'x-hub-signature-256': signature } }
    assert.ok((await octokit.verify(body, signature)) && isSignedWith(github.secret, 'github', signed))
    return send(github.path, body, { 'x-github-event': name, 'x-hub-signature-256': signature })
  }
  const closed = all
    .find(({ name }) => name === 'pull_request')!
    .examples.find(({ action }) => action === 'closed') as unknown as {
    repository: { full_name: string }
    pull_request: { number: number; merged: boolean }
  }
  const { full_name: repository } = closed.repository
  const { number } = closed.pull_request
  await introduce(repository, number)
  for (const ref of ['simple-tag', 'master']) {
    await gatehouse.pullRequests.send(repository, sarif([{ rule: 'no-eval' }]), { ref })
  }
  for (const { name, examples: some } of all) {
    for (const event of some) {
      if (name === 'pull_request' && event.action === 'closed') continue
      const { status, body } = await deliver(name, event)
      // One that is larger or has more names than we read is refused, and none is taken for something else.
      assert.ok(status === 200 || status === 413, `${name}: ${JSON.stringify(body)}`)
    }
  }
  assert.deepEqual(await gatehouse.pullRequests.standing(repository, number), ['no-eval OPEN'])
  assert.deepEqual(await onBranches(repository), ['master OPEN', 'simple-tag OPEN'], 'its examples are of tags')
  const [deletion] = all.find(({ name }) => name === 'delete')!.examples
  assert.equal((await deliver('delete', { ...deletion, ref_type: 'branch' })).status, 200)
  assert.deepEqual(await onBranches(repository), ['master OPEN', 'simple-tag ENDED'])
  assert.equal((await deliver('pull_request', closed)).status, 200)
  assert.deepEqual(await gatehouse.pullRequests.standing(repository, number), ['no-eval ENDED'])
  const { eventCount } = (await gatehouse.hosts('GET', `/${github.id}`)).body.codeHost
  assert.ok(eventCount > 50)
})

const merge = (more: object = {}) => ({
  object_kind: 'merge_request',
  project: { path_with_namespace: 'gitlab/web/shop' },
  object_attributes: { iid: 3, state: 'merged', action: 'merge' },
  ...more,
})

test('an event of GitLab that says that a merge request was merged or closed ends it', async () => {
  const token = { 'x-gitlab-token': gitlab.secret, 'x-gitlab-event': 'Merge Request Hook' }
  const unending: object[] = [
    merge({ object_attributes: { iid: 3, state: 'opened', action: 'update' } }),
    merge({ object_attributes: { iid: '3', state: 'merged' } }),
    merge({ object_attributes: { iid: 2 ** 40, state: 'merged' } }),
    merge({ object_attributes: null }),
    merge({ project: { path_with_namespace: 'Codertocat/web' } }),
    merge({ project: null }),
    merge({ object_kind: 'push' }),
  ]
  for (const [at, state] of ['merged', 'closed'].entries()) {
    await introduce('gitlab/web/shop', 3, `${at}`.repeat(40))
    await introduce('Codertocat/web', 3)
    for (const event of unending) assert.equal((await send(gitlab.path, JSON.stringify(event), token)).status, 200)
    assert.deepEqual(
      (await gatehouse.pullRequests.standing('gitlab/web/shop', 3)).map((each) => /OPEN/.test(each)),
      [true],
    )
    const event = merge({ object_attributes: { iid: 3, state } })
    assert.equal((await send(gitlab.path, JSON.stringify(event), token)).status, 200)
    assert.deepEqual(await gatehouse.pullRequests.standing('gitlab/web/shop', 3), ['no-eval ENDED'])
    assert.match((await gatehouse.pullRequests.standing('Codertocat/web', 3))[0]!, /OPEN/, 'it has other owners')
  }
})

test('an event about a repository that was renamed counts as long as it is of the same owners', async () => {
  const close = (path_with_namespace = 'gitlab/moving') => {
    const project = { path_with_namespace }
    const event = merge({ project, object_attributes: { iid: 3, state: 'closed' } })
    return send(gitlab.path, JSON.stringify(event), { 'x-gitlab-token': gitlab.secret })
  }
  const { body } = await gatehouse.call('POST', repositories, { body: { name: 'gitlab/moving' } })
  const rename = (name: string) => gatehouse.call('PATCH', `${repositories}/${body.repository.id}`, { body: { name } })
  for (const elsewhere of ['Codertocat/moved', 'nobodys/moved']) {
    assert.equal((await rename(elsewhere)).status, 200)
    await introduce(elsewhere, 3)
    assert.equal((await close()).status, 200)
    assert.deepEqual(await gatehouse.pullRequests.standing(elsewhere, 3), ['no-eval OPEN'])
  }
  assert.equal((await rename('gitlab/moved')).status, 200)
  assert.equal((await close('Codertocat/moved')).status, 200)
  assert.match((await gatehouse.pullRequests.standing('gitlab/moved', 3))[0]!, /OPEN/)
  assert.equal((await close()).status, 200)
  assert.deepEqual(await gatehouse.pullRequests.standing('gitlab/moved', 3), ['no-eval ENDED'])
})

const nothing = '0'.repeat(40)
const something = 'a1'.repeat(20)

/** By what each code host says that something was pushed or deleted. */
const tellers: Record<
  string,
  { repository: string; push(ref: unknown, after: unknown, more?: object): Promise<number> }
> = {
  GitHub: {
    repository: 'Codertocat/branches',
    push: async (ref, after, more = {}) => {
      const event = {
        ref,
        after,
        deleted: after === nothing,
        repository: { full_name: 'Codertocat/branches' },
        ...more,
      }
      const body = JSON.stringify(event)
      const signature = `sha256=${createHmac('sha256', github.secret).update(body).digest('hex')}`
      const headers = { 'x-github-event': 'push', 'x-hub-signature-256': signature }
      return (await send(github.path, body, headers)).status
    },
  },
  GitLab: {
    repository: 'gitlab/web/branches',
    push: async (ref, after, more = {}) => {
      const project = { path_with_namespace: 'gitlab/web/branches' }
      const event = { object_kind: 'push', before: something, ref, after, checkout_sha: null, project, ...more }
      const headers = { 'x-gitlab-token': gitlab.secret, 'x-gitlab-event': 'Push Hook' }
      return (await send(gitlab.path, JSON.stringify(event), headers)).status
    },
  },
}

for (const [name, { repository, push }] of Object.entries(tellers)) {
  test(`a push that deletes a branch, as ${name} tells it, ends that branch until it is scanned again`, async () => {
    const scan = (ref: string) => gatehouse.pullRequests.send(repository, sarif([{ rule: 'no-eval' }]), { ref })
    for (const ref of ['main', 'feature/a', 'b', 'refs/tags/v1']) await scan(ref)
    const all = ['b OPEN', 'feature/a OPEN', 'main OPEN', 'refs/tags/v1 OPEN']
    const before = (await endedBranches()).length
    const unending: [ref: unknown, after: unknown, more?: object][] = [
      ['refs/heads/b', something],
      ['refs/heads/b', 0],
      ['refs/heads/main', nothing],
      ['refs/tags/v1', nothing],
      ['refs/heads/refs/tags/v1', nothing],
      ['refs/heads/never', nothing],
      ['refs/heads/', nothing],
      ['b', nothing],
      [null, nothing],
      ['refs/heads/b', nothing, { object_kind: 'tag_push', repository: null }],
      ['refs/heads/b', nothing, { repository: { full_name: 'other/x' }, project: { path_with_namespace: 'other/x' } }],
    ]
    for (const each of unending) assert.equal(await push(...each), 200, JSON.stringify(each))
    assert.deepEqual(await onBranches(repository), all)
    assert.equal((await endedBranches()).length, before)

    for (const _ of [1, 2]) assert.equal(await push('refs/heads/feature/a', nothing), 200)
    assert.deepEqual(await onBranches(repository), ['b OPEN', 'feature/a ENDED', 'main OPEN', 'refs/tags/v1 OPEN'])
    const ended = await endedBranches()
    assert.equal(ended.length, before + 1, 'said twice, it ends once')
    const codeHostId = Number(name === 'GitHub' ? github.id : gitlab.id)
    assert.deepEqual(ended[0], { ref: 'feature/a', endedFindings: 1, codeHostId })
    await scan('feature/a')
    assert.deepEqual(await onBranches(repository), ['b OPEN', 'feature/a REOPENED', 'main OPEN', 'refs/tags/v1 OPEN'])
  })
}

test('without the right signature it is 401, the same whether the code host exists or not', async () => {
  const body = JSON.stringify(merge())
  const sign = (secret: string, text = body) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
  const nowhere = github.path.replace(/\d+$/, '987654321')
  const attempts: [path: string, headers: Headers][] = [
    [github.path, {}],
    [github.path, { 'x-hub-signature-256': sign(gitlab.secret) }],
    [github.path, { 'x-hub-signature-256': sign(github.secret, `${body} `) }],
    [github.path, { 'x-hub-signature-256': sign(github.secret).slice(7) }],
    [github.path, { 'x-gitlab-token': github.secret }],
    [github.path, { authorization: `Bearer ${gatehouse.owner.token}` }],
    [gitlab.path, {}],
    [gitlab.path, { 'x-gitlab-token': '' }],
    [gitlab.path, { 'x-gitlab-token': github.secret }],
    [gitlab.path, { 'x-hub-signature-256': sign(gitlab.secret) }],
    [nowhere, { 'x-hub-signature-256': sign('') }],
  ]
  for (const [path, headers] of attempts) {
    const answer = await send(path, body, headers)
    assert.equal(answer.status, 401, JSON.stringify([path, headers]))
    assert.equal(answer.body.detail, 'The signature or secret of the webhook is missing or not right.')
  }
  const { body: made } = await gatehouse.hosts('POST', `/${github.id}/webhook-secret`)
  const former = { 'x-hub-signature-256': sign(github.secret) }
  assert.equal((await send(github.path, body, former)).status, 401, 'the former secret')
  assert.equal((await send(github.path, body, { 'x-hub-signature-256': sign(made.webhookSecret) })).status, 200)
  github.secret = made.webhookSecret
})
