import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, caller } from '../../../../test/gatehouse.ts'
import { openDevopsGatehouse } from '../../../../test/outside/devops-outside.ts'
import { searchAll } from '../../findings/test-findings.ts'
import { log, pullRequestsOf } from '../../findings/test-pull-request.ts'

const gatehouse = await openDevopsGatehouse()
after(() => gatehouse.close())
const { devops, apps, install, create } = gatehouse

const send = caller(gatehouse.url, '')
const hook = (id: string | number) => `/api/scm/devops_app_webhook/${id}`
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

const scmAppId = await install()
const { basicAuthUsername: user = '', basicAuthPassword: secret = '' } =
  devops.subscriptionsOf('contoso')[0]!.consumerInputs

async function counted(id: string): Promise<{ eventCount: number; lastEventAt: string | null }> {
  const { eventCount, lastEventAt } = (await gatehouse.call('GET', `${apps}/${id}`)).body.app
  return { eventCount, lastEventAt }
}

test('an event that the DevOps service sends arrives and is counted', async () => {
  assert.deepEqual(await counted(scmAppId), { eventCount: 0, lastEventAt: null })
  assert.deepEqual(await devops.fire('contoso', 'git.push', { pushId: 14 }), [200])
  const { eventCount, lastEventAt } = await counted(scmAppId)
  assert.equal(eventCount, 1)
  assert.ok(lastEventAt)
  await Promise.all(Array.from({ length: 20 }, () => devops.fire('contoso', 'git.push', {})))
  assert.equal((await counted(scmAppId)).eventCount, 21)
})

/** Without what differs from request to request. */
function essence({ status, headers, body }: Answer): unknown {
  const { requestId: _, instance: __, ...rest } = body
  return { status, challenge: headers.get('www-authenticate'), ...rest }
}

test('without the right secret it is 401, the same whether the app exists or not', async () => {
  const pending = (await create()).scmAppId
  const before = await counted(scmAppId)
  const body = { eventType: 'git.push' }
  const attempts: Record<string, string>[] = [
    {},
    basic(user, ''),
    basic(user, `${secret}x`),
    basic(user, secret.slice(1)),
    basic('somebody', secret),
    basic(user.toUpperCase(), secret),
    { authorization: `Bearer ${secret}` },
    { authorization: `Bearer ${gatehouse.owner.token}` },
    { authorization: 'Basic ' },
    { authorization: 'Basic %%%' },
  ]
  for (const headers of attempts) {
    const answer = await send('POST', hook(scmAppId), { body, headers })
    assert.equal(answer.status, 401, JSON.stringify(headers))
    assert.deepEqual(essence(await send('POST', hook(987654321), { body, headers })), essence(answer))
    assert.deepEqual(essence(await send('POST', hook(pending), { body, headers })), essence(answer))
  }
  assert.equal((await send('POST', hook(pending), { body, headers: basic(user, secret) })).status, 401)
  assert.deepEqual(await counted(scmAppId), before)
})

test('the secret of one app opens no other, and none once its app is deleted', async () => {
  const other = await install()
  const theirs = devops.subscriptionsOf('contoso').find((each) => each.consumerInputs.url!.endsWith(hook(other)))!
  const { basicAuthPassword: otherSecret = '' } = theirs.consumerInputs
  assert.notEqual(otherSecret, secret)
  const body = {}
  assert.equal((await send('POST', hook(other), { body, headers: basic(user, secret) })).status, 401)
  assert.equal((await send('POST', hook(other), { body, headers: basic(user, otherSecret) })).status, 200)
  await gatehouse.call('DELETE', `${apps}/${other}`)
  assert.equal((await send('POST', hook(other), { body, headers: basic(user, otherSecret) })).status, 401)
})

test('bodies are bounded', async () => {
  const headers = basic(user, secret)
  const cases: [unknown, number][] = [
    [{ text: 'x'.repeat(1_100_000) }, 413],
    [[], 400],
    ['{', 400],
    [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1])), 400],
  ]
  for (const [body, status] of cases)
    assert.equal((await send('POST', hook(scmAppId), { body, headers })).status, status)
})

test('an event that says that a pull request ended ends it, in a repository of its project alone', async () => {
  const pullRequests = pullRequestsOf(gatehouse)
  await pullRequests.setMode('comment')
  const results = log([{ rule: 'added', code: 'a()' }])
  for (const repository of ['Web Shop/checkout', 'contoso/Web Shop/basket', 'Other/checkout', 'checkout']) {
    await pullRequests.send(repository, log([]))
    await pullRequests.send(repository, results, { pullRequest: 7 })
  }
  const end = (name: string, project: string, more: object = {}) =>
    devops.fire('contoso', 'git.pullrequest.updated', {
      ...{ pullRequestId: 7, status: 'completed', repository: { name, project: { name: project } } },
      ...more,
    })
  const unending: [project: string, more: object][] = [
    ['Web Shop', { status: 'active' }],
    ['Web Shop', { pullRequestId: 8 }],
    ['Web Shop', { pullRequestId: '7' }],
    ['Web Shop', { pullRequestId: 2 ** 40 }],
    ['Web Shop', { repository: null }],
    ['Other', {}],
  ]
  for (const [project, more] of unending) assert.ok((await end('checkout', project, more)).every((one) => one === 200))
  assert.deepEqual(await pullRequests.standing('Web Shop/checkout', 7), ['added OPEN'])
  await end('checkout', 'Web Shop')
  assert.deepEqual(await pullRequests.standing('Web Shop/checkout', 7), ['added ENDED'])
  await end('basket', 'Web Shop', { status: 'abandoned' })
  assert.deepEqual(await pullRequests.standing('contoso/Web Shop/basket', 7), ['added ENDED'])
  for (const other of ['Other/checkout', 'checkout']) {
    assert.deepEqual(await pullRequests.standing(other, 7), ['added OPEN'], other)
  }
})

test('a repository that was renamed counts within its project, and after one that has the name now', async () => {
  const pullRequests = pullRequestsOf(gatehouse)
  const results = log([{ rule: 'added', code: 'a()' }])
  const introduce = async (repository: string) => {
    await pullRequests.send(repository, log([]))
    await pullRequests.send(repository, results, { pullRequest: 7 })
  }
  const end = () =>
    devops.fire('contoso', 'git.pullrequest.updated', {
      ...{ pullRequestId: 7, status: 'completed', repository: { name: 'moving', project: { name: 'Web Shop' } } },
    })
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const { body } = await gatehouse.call('POST', path, { body: { name: 'Web Shop/moving' } })
  const rename = (name: string) => gatehouse.call('PATCH', `${path}/${body.repository.id}`, { body: { name } })
  assert.equal((await rename('Other/moved')).status, 200)
  await introduce('Other/moved')
  await end()
  assert.deepEqual(await pullRequests.standing('Other/moved', 7), ['added OPEN'])
  assert.equal((await rename('Web Shop/moved')).status, 200)
  await introduce('contoso/Web Shop/moving')
  await end()
  assert.deepEqual(await pullRequests.standing('contoso/Web Shop/moving', 7), ['added ENDED'])
  assert.deepEqual(await pullRequests.standing('Web Shop/moved', 7), ['added OPEN'])
  const present = (await gatehouse.call('GET', `${path}?name=contoso/Web Shop/moving`)).body.repositories
  assert.equal((await gatehouse.call('DELETE', `${path}/${present[0].id}`)).status, 200)
  await end()
  assert.deepEqual(await pullRequests.standing('Web Shop/moved', 7), ['added ENDED'])
})

test('a push that deletes branches ends them, in a repository of its project alone', async () => {
  const pullRequests = pullRequestsOf(gatehouse)
  const results = log([{ rule: 'added', code: 'a()' }])
  const repositories = ['Web Shop/till', 'Other/till']
  for (const repository of repositories) {
    for (const ref of ['main', 'a', 'b', 'c', 'refs/tags/v1']) await pullRequests.send(repository, results, { ref })
  }
  const [none, some] = ['0'.repeat(40), 'b'.repeat(40)]
  const push = (project: string, ...updates: [name: unknown, newObjectId: unknown][]) =>
    devops.fire('contoso', 'git.push', {
      pushId: 14,
      refUpdates: updates.map(([name, newObjectId]) => ({ name, oldObjectId: some, newObjectId })),
      repository: { name: 'till', project: { name: project } },
    })
  const left = async (repository: string) => {
    const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
    return found.flatMap(({ ref, triageState }) => (triageState === 'TRIAGE_STATE_ENDED' ? [] : [ref])).sort()
  }
  const unending: [name: unknown, newObjectId: unknown][] = [
    ['refs/heads/a', some],
    ['refs/heads/main', none],
    ['refs/tags/v1', none],
    ['refs/heads/never', none],
    [null, none],
  ]
  assert.ok((await push('Web Shop', ...unending)).every((one) => one === 200))
  assert.ok((await push('Other', ['refs/heads/a', none])).every((one) => one === 200))
  for (const repository of repositories) assert.equal((await left(repository)).length, 5)
  await push('Web Shop', ['refs/heads/a', none], ['refs/heads/b', none], ['refs/heads/c', some])
  assert.deepEqual(await left('Web Shop/till'), ['c', 'main', 'refs/tags/v1'])
  assert.equal((await left('Other/till')).length, 5)
})
