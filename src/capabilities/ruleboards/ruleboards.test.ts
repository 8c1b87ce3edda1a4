import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const boards = `/api/agent/deployments/${deploymentId}/ruleboards`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

const code = { name: 'Code', slug: 'code', default: true, assigned_repos: [] }
const secrets = { name: 'Secrets', slug: 'secrets', default: true, assigned_repos: [] }

for (const name of ['web', 'api', 'tools/cli']) await gatehouse.call('POST', repositories, { body: { name } })

function overview(slug: string, body: object, headers: Record<string, string> = {}) {
  return gatehouse.call('PUT', `${boards}/${slug}/overview`, { body, headers })
}

async function add(board: object): Promise<{ slug: string }> {
  const answer = await gatehouse.call('POST', boards, { body: board })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

test('a new deployment has a default board for code and one for secrets', async () => {
  assert.deepEqual((await gatehouse.call('GET', boards)).body, { ruleboards: [code, secrets] })
})

test('boards are listed by type', async () => {
  const extra = await add({ name: 'Strict secrets', type: 'RULEBOARD_TYPE_SECRETS' })
  const cases: [string, string[]][] = [
    ['', ['code', 'secrets', extra.slug]],
    ['?type=RULEBOARD_TYPE_UNSPECIFIED', ['code', 'secrets', extra.slug]],
    ['?type=RULEBOARD_TYPE_SAST', ['code']],
    ['?type=RULEBOARD_TYPE_SECRETS', ['secrets', extra.slug]],
  ]
  for (const [query, slugs] of cases) {
    const { ruleboards } = (await gatehouse.call('GET', boards + query)).body
    assert.deepEqual(
      ruleboards.map((board: { slug: string }) => board.slug),
      slugs,
      query,
    )
  }
  for (const query of ['?type=', '?type=SAST', '?type=ruleboard_type_sast', '?types=RULEBOARD_TYPE_SAST']) {
    assert.equal((await gatehouse.call('GET', boards + query)).status, 400, query)
  }
  const both = await gatehouse.call('GET', `${boards}?type=RULEBOARD_TYPE_SAST&type=RULEBOARD_TYPE_SECRETS`)
  assert.equal(both.status, 400)
  await gatehouse.call('DELETE', `${boards}/${extra.slug}`)
})

test('an overview replaces name and repositories and keeps the slug', async () => {
  const { slug } = await add({ name: 'Our board', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['web'] })
  const steps: [object, object][] = [
    [
      { name: 'Renamed', assigned_repos: ['web', 'api'] },
      { name: 'Renamed', assigned_repos: ['api', 'web'] },
    ],
    [
      { name: 'Renamed', assigned_repos: ['tools/cli', 'tools/cli'] },
      { name: 'Renamed', assigned_repos: ['tools/cli'] },
    ],
    [
      { name: 'Empty', assigned_repos: [] },
      { name: 'Empty', assigned_repos: [] },
    ],
  ]
  for (const [body, expected] of steps) {
    const answer = await overview(slug, body)
    assert.deepEqual(answer.body, { slug: 'our-board', default: false, ...expected })
    const { type: _, ...shown } = (await gatehouse.call('GET', `${boards}/${slug}`)).body
    assert.deepEqual(shown, answer.body)
  }
  await gatehouse.call('DELETE', `${boards}/${slug}`)
})

test('assigning a repository to one board leaves it with the others', async () => {
  const one = await add({ name: 'One', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['web'] })
  const two = await add({ name: 'Two', type: 'RULEBOARD_TYPE_SAST' })
  await overview(two.slug, { name: 'Two', assigned_repos: ['web'] })
  await overview('code', { name: 'Code', assigned_repos: ['web'] })
  for (const slug of [one.slug, two.slug, 'code']) {
    assert.deepEqual((await gatehouse.call('GET', `${boards}/${slug}`)).body.assigned_repos, ['web'], slug)
  }
  for (const { slug } of [one, two]) await gatehouse.call('DELETE', `${boards}/${slug}`)
  await overview('code', { name: 'Code', assigned_repos: [] })
})

test('a trial says which boards would apply to whom, and saves nothing', async () => {
  const one = await add({ name: 'One', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['web', 'api'] })
  const two = await add({ name: 'Two', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['api'] })
  const attempt = (slug: string, assigned_repos: string[]) =>
    gatehouse.call('POST', `${boards}/${slug}/trial`, { body: { assigned_repos } })
  const { status, body } = await attempt(one.slug, ['tools/cli'])
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.changes, [
    { repository: 'api', before: ['One', 'Two'], after: ['Two'] },
    { repository: 'tools/cli', before: ['Code'], after: ['One'] },
    { repository: 'web', before: ['One'], after: ['Code'] },
  ])
  assert.deepEqual((await attempt('code', ['tools/cli'])).body.changes, [], 'it applies there anyway')
  assert.deepEqual((await attempt('code', ['web'])).body.changes, [
    { repository: 'web', before: ['One'], after: ['Code', 'One'] },
  ])
  assert.equal((await attempt(one.slug, ['nope'])).status, 422)
  assert.deepEqual((await gatehouse.call('GET', `${boards}/${one.slug}`)).body.assigned_repos, ['api', 'web'])
  for (const { slug } of [one, two]) await gatehouse.call('DELETE', `${boards}/${slug}`)
})

test('unknown repositories are named and nothing is changed', async () => {
  const answer = await overview('code', { name: 'Changed', assigned_repos: ['web', 'nope', 'tools/no'] })
  assert.equal(answer.status, 422)
  assert.equal(answer.body.code, 'unknown_repository')
  assert.match(answer.body.detail, /'nope', 'tools\/no'/)
  assert.deepEqual(
    answer.body.errors.map((error: { pointer: string }) => error.pointer),
    ['/assigned_repos/1', '/assigned_repos/2'],
  )
  assert.deepEqual((await gatehouse.call('GET', `${boards}/code`)).body, { ...code, type: 'RULEBOARD_TYPE_SAST' })
  const made = await gatehouse.call('POST', boards, {
    body: { name: 'New', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['nope'] },
  })
  assert.equal(made.status, 422)
  assert.equal((await gatehouse.call('GET', `${boards}/new`)).status, 404)
})

test('what does not fit is refused with a pointer', async () => {
  const cases: [object, string][] = [
    [{ name: 'x' }, '/assigned_repos'],
    [{ assigned_repos: [] }, '/name'],
    [{ name: '', assigned_repos: [] }, '/name'],
    [{ name: 'x', assigned_repos: 'web' }, '/assigned_repos'],
    [{ name: 'x', assigned_repos: [1] }, '/assigned_repos/0'],
    [{ name: 'x', assignedRepos: [], assigned_repos: [] }, '/assignedRepos'],
  ]
  for (const [body, pointer] of cases) {
    const answer = await overview('code', body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body.errors[0].pointer, pointer)
  }
  const unspecified = { name: 'x', type: 'RULEBOARD_TYPE_UNSPECIFIED' }
  assert.equal((await gatehouse.call('POST', boards, { body: unspecified })).status, 400)
})

test('a slug that no board can have is one that no board has', async () => {
  const unlike = ['nope', 'no_such_board', 'Code', 'a%20b', 'a--b', 'c'.repeat(101)]
  for (const slug of unlike) {
    const answer = await overview(slug, { name: 'Changed', assigned_repos: [] })
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], slug)
  }
  assert.equal((await gatehouse.call('GET', `${boards}/no_such_board`)).status, 404)
  assert.equal((await gatehouse.call('GET', `${boards}/no_such_board?type=x`)).status, 400)
})

test('default boards stay; others can be deleted, and a deleted repository leaves its boards', async () => {
  assert.equal((await gatehouse.call('DELETE', `${boards}/code`)).status, 409)
  await gatehouse.call('POST', repositories, { body: { name: 'short-lived' } })
  const { slug } = await add({ name: 'Gone soon', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['short-lived', 'web'] })
  const listed = (await gatehouse.call('GET', `${repositories}?name=short-lived`)).body.repositories
  await gatehouse.call('DELETE', `${repositories}/${listed[0].id}`)
  const deleted = await gatehouse.call('DELETE', `${boards}/${slug}`)
  assert.deepEqual(deleted.body, { name: 'Gone soon', slug, default: false, assigned_repos: ['web'] })
  assert.equal((await gatehouse.call('GET', `${boards}/${slug}`)).status, 404)
})

test('If-Match guards the overview: of 20 at once exactly one wins', async () => {
  const { slug } = await add({ name: 'Contested', type: 'RULEBOARD_TYPE_SAST' })
  const etag = (await gatehouse.call('GET', `${boards}/${slug}`)).headers.get('etag')!
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      overview(slug, { name: `Name ${index}`, assigned_repos: ['web'] }, { 'if-match': etag }),
    ),
  )
  const won = answers.filter((answer) => answer.status === 200)
  assert.equal(won.length, 1)
  assert.equal(answers.filter((answer) => answer.status === 412).length, 19)
  assert.equal((await gatehouse.call('GET', `${boards}/${slug}`)).body.name, won[0]!.body.name)
  await gatehouse.call('DELETE', `${boards}/${slug}`)
})

test('members read boards, with the repositories they see, and change none', async () => {
  const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
  await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
  await gatehouse.call('POST', repositories, { body: { name: 'hidden' } })
  await overview('code', { name: 'Code', assigned_repos: ['hidden', 'web'] })
  const member = await gatehouse.addPerson('member')
  const listed = await gatehouse.call('GET', `${boards}?type=RULEBOARD_TYPE_SAST`, { as: member.jwt })
  assert.deepEqual(listed.body, { ruleboards: [{ ...code, assigned_repos: ['web'] }] })
  assert.deepEqual((await gatehouse.call('GET', `${boards}/code`, { as: member.token })).body.assigned_repos, ['web'])
  const calls: [string, string, object | undefined][] = [
    ['PUT', `${boards}/code/overview`, { name: 'Mine', assigned_repos: [] }],
    ['POST', boards, { name: 'Mine', type: 'RULEBOARD_TYPE_SAST' }],
    ['DELETE', `${boards}/code`, undefined],
  ]
  for (const [method, path, body] of calls) {
    const answer = await gatehouse.call(method, path, { as: member.token, ...(body && { body }) })
    assert.equal(answer.status, 403, method)
  }
  const { body } = await gatehouse.call('GET', `${boards}/code`)
  assert.deepEqual(body.assigned_repos, ['hidden', 'web'])
})

test('boards of another deployment look like boards that do not exist', async () => {
  const other = await gatehouse.addDeployment()
  const theirs = `/api/agent/deployments/${other.id}/ruleboards`
  const board = { name: 'Theirs', type: 'RULEBOARD_TYPE_SAST' }
  assert.equal((await gatehouse.call('POST', theirs, { as: other.as, body: board })).body.slug, 'theirs')
  const calls: [string, string, object | undefined][] = [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['PUT', '/overview', { name: 'Ours', assigned_repos: [] }],
  ]
  for (const [method, rest, body] of calls) {
    const request = body ? { body } : {}
    const there = await gatehouse.call(method, `${boards}/theirs${rest}`, request)
    const nowhere = await gatehouse.call(method, `${boards}/nowhere${rest}`, request)
    assert.equal(there.status, 404, method)
    assert.equal(there.body.detail.replace('theirs', '#'), nowhere.body.detail.replace('nowhere', '#'))
  }
  const foreignName = await gatehouse.call('PUT', `${theirs}/theirs/overview`, {
    as: other.as,
    body: { name: 'Theirs', assigned_repos: ['web'] },
  })
  assert.equal(foreignName.body.code, 'unknown_repository')
})
