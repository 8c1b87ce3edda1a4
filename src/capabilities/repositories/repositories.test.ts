import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { watchRoundTrips } from '../../../test/watching/round-trips.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { sarifLog } from '../findings/test-log.ts'
import { upload } from '../scans/test-upload.ts'
import { findNamed } from './public.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const base = `/api/repositories/v1/deployments/${deploymentId}`
const path = `${base}/repositories`

type RepositoryAnswer = { id: number; name: string; createdAt: string }

async function add(repository: object): Promise<RepositoryAnswer> {
  const answer = await gatehouse.call('POST', path, { body: repository })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.repository
}

async function namesOf(query: string): Promise<string[]> {
  const answer = await gatehouse.call('GET', `${path}?${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.repositories.map((one: RepositoryAnswer) => one.name)
}

test('a repository is created in four round trips', async () => {
  const watch = watchRoundTrips()
  await add({ name: 'few trips', tags: ['one', 'two'], webUrl: 'https://git.example.com/few' }).finally(watch.stop)
  const making = watch.transactions.find((trips) =>
    trips.flat().some((text) => text.includes('insert into repository ')),
  )
  assert.deepEqual(
    making?.map((trip) => trip.length > 1),
    [true, true, true, true],
  )
})

test('a repository is created with what was given, or plain', async () => {
  const plain = await add({ name: 'plain' })
  assert.deepEqual(plain, {
    id: plain.id,
    name: 'plain',
    tags: [],
    archived: false,
    publiclyExposed: false,
    defaultBranch: 'main',
    webUrl: '',
    linkTemplates: {},
    kind: 'REPOSITORY_KIND_CODE',
    createdAt: plain.createdAt,
  })
  assert.match(plain.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const rich = await add({
    name: 'group/sub.group/rich_1',
    tags: ['web', 'Äpfel & Birnen', 'web'],
    archived: true,
    publiclyExposed: true,
    defaultBranch: 'release/1.x',
  })
  assert.deepEqual(rich, {
    id: rich.id,
    name: 'group/sub.group/rich_1',
    tags: ['web', 'Äpfel & Birnen'],
    archived: true,
    publiclyExposed: true,
    defaultBranch: 'release/1.x',
    webUrl: '',
    linkTemplates: {},
    kind: 'REPOSITORY_KIND_CODE',
    createdAt: rich.createdAt,
  })
  assert.deepEqual((await gatehouse.call('GET', `${path}/${rich.id}`)).body, { repository: rich })
})

test('a name is taken once, also when two ask for it at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => gatehouse.call('POST', path, { body: { name: 'contested' } })),
  )
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
  const refused = answers.filter((answer) => answer.status === 409)
  assert.equal(refused.length, 9)
  assert.match(refused[0]!.body.detail, /'contested'/)
  const other = await add({ name: 'uncontested' })
  const renamed = await gatehouse.call('PATCH', `${path}/${other.id}`, { body: { name: 'contested' } })
  assert.equal(renamed.status, 409)
  assert.match(renamed.body.detail, /'contested'/)
  assert.equal((await gatehouse.call('GET', `${path}/${other.id}`)).body.repository.name, 'uncontested')
})

test('an update changes what it names and leaves the rest', async () => {
  const made = await add({ name: 'changing', tags: ['a', 'b'], defaultBranch: 'trunk' })
  const steps: [object, object][] = [
    [{}, {}],
    [{ archived: true }, { archived: true }],
    [{ tags: ['c', 'b'] }, { tags: ['b', 'c'] }],
    [{ tags: [] }, { tags: [] }],
    [
      { name: 'changed', publiclyExposed: true },
      { name: 'changed', publiclyExposed: true },
    ],
    [
      { defaultBranch: 'main', archived: false },
      { defaultBranch: 'main', archived: false },
    ],
  ]
  let expected: object = made
  for (const [body, change] of steps) {
    expected = { ...expected, ...change }
    const answer = await gatehouse.call('PATCH', `${path}/${made.id}`, { body })
    assert.deepEqual(answer.body, { repository: expected })
  }
})

test('If-Match guards updates and deletion', async () => {
  const { id } = await add({ name: 'guarded' })
  const etag = (await gatehouse.call('GET', `${path}/${id}`)).headers.get('etag')!
  const headers = { 'if-match': etag }
  assert.equal((await gatehouse.call('PATCH', `${path}/${id}`, { headers, body: { archived: true } })).status, 200)
  assert.equal((await gatehouse.call('PATCH', `${path}/${id}`, { headers, body: { archived: false } })).status, 412)
  assert.equal((await gatehouse.call('DELETE', `${path}/${id}`, { headers })).status, 412)
  assert.equal((await gatehouse.call('GET', `${path}/${id}`)).body.repository.archived, true)
})

test('a deleted repository is gone, its name free, and the log knows', async () => {
  const { id } = await add({ name: 'doomed', tags: ['doom'] })
  const deleted = await gatehouse.call('DELETE', `${path}/${id}`)
  assert.equal(deleted.body.repository.name, 'doomed')
  assert.equal((await gatehouse.call('GET', `${path}/${id}`)).status, 404)
  assert.equal((await gatehouse.call('DELETE', `${path}/${id}`)).status, 404)
  const { tags } = (await gatehouse.call('GET', `${base}/tags`)).body
  assert.ok(tags.every((tag: { name: string }) => tag.name !== 'doom'))
  const { events } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events`)).body
  assert.equal(events[0].action, 'repository.delete')
  assert.equal(events[0].target, `repository:${id}`)
  assert.notEqual((await add({ name: 'doomed' })).id, id)
})

const rename = (id: number, name: string) => gatehouse.call('PATCH', `${path}/${id}`, { body: { name } })

async function uploadTo(repository: string): Promise<{ id: number; name: string; created: boolean }> {
  const { body } = await upload(gatehouse, { repository }, { 'log.sarif': sarifLog({ results: [] }) })
  return { id: body.scan.repositoryId, name: body.scan.repository, created: body.createdRepository }
}

test('what is uploaded under a former name goes to the renamed repository', async () => {
  const { id } = await add({ name: 'shop/web' })
  await rename(id, 'shop/store')
  assert.equal((await rename(id, 'shop/storefront')).status, 200)
  const renamed = { id, name: 'shop/storefront', created: false }
  assert.deepEqual(await uploadTo('shop/web'), renamed)
  assert.deepEqual(await uploadTo('shop/store'), renamed)
  assert.deepEqual(await namesOf('name=shop/web'), [])
  // Its old name again.
  assert.equal((await rename(id, 'shop/web')).status, 200)
  assert.deepEqual(await uploadTo('shop/storefront'), { ...renamed, name: 'shop/web' })
})

test('a former name leads nowhere once another repository has it, or its own is gone', async () => {
  const { id } = await add({ name: 'lead/old' })
  await rename(id, 'lead/new')
  const second = await add({ name: 'lead/old' })
  assert.deepEqual(await uploadTo('lead/old'), { id: second.id, name: 'lead/old', created: false })
  await gatehouse.call('DELETE', `${path}/${second.id}`)
  const third = await uploadTo('lead/old')
  assert.deepEqual([third.id !== id, third.created], [true, true])
  await rename(third.id, 'lead/other')
  await rename(id, 'lead/old')
  assert.equal((await uploadTo('lead/old')).id, id)
  await gatehouse.call('DELETE', `${path}/${id}`)
  assert.deepEqual((await uploadTo('lead/new')).created, true)
})

test('a job of CI sees its repository by its former name', async () => {
  const { id } = await add({ name: 'job/old' })
  await rename(id, 'job/new')
  const bound = { repository: 'job/old', ref: 'main', pullRequest: 0, baseRef: '', commit: '' }
  const job = { ...systemActor(deploymentId, 'job'), bound }
  assert.equal((await findNamed(gatehouse.db.as(job), job, 'job/old'))?.id, id)
  await add({ name: 'job/old' })
  assert.notEqual((await findNamed(gatehouse.db.as(job), job, 'job/old'))?.id, id)
})

test('lists are filtered and paged', async () => {
  await add({ name: 'zoo/Ape', tags: ['mammal'] })
  await add({ name: 'zoo/bat', tags: ['mammal', 'flies'] })
  await add({ name: 'zoo/crow_1', tags: ['flies'] })
  await add({ name: 'zoo/dodo', tags: ['extinct'], archived: true })
  const cases: [string, string[]][] = [
    ['name=ZOO', ['zoo/Ape', 'zoo/bat', 'zoo/crow_1']],
    ['name=zoo&includeArchived=true', ['zoo/Ape', 'zoo/bat', 'zoo/crow_1', 'zoo/dodo']],
    ['name=zoo&includeArchived=false&tag=flies', ['zoo/bat', 'zoo/crow_1']],
    ['tag=mammal&name=ape', ['zoo/Ape']],
    ['name=zoo%25', []],
    ['name=crow_', ['zoo/crow_1']],
    ['name=oo_', []],
    ['tag=extinct', []],
    ['tag=Mammal', []],
    ['name=zoo&pageSize=2', ['zoo/Ape', 'zoo/bat']],
  ]
  for (const [query, names] of cases) assert.deepEqual(await namesOf(query), names, query)
  const first = (await gatehouse.call('GET', `${path}?name=zoo&pageSize=2`)).body
  assert.deepEqual([first.hasMore, first.cursor], [true, String(first.repositories[1].id)])
  assert.deepEqual(await namesOf(`name=zoo&pageSize=2&cursor=${first.cursor}`), ['zoo/crow_1'])
})

test('tags are listed with how many repositories carry them', async () => {
  await add({ name: 'tagged-1', tags: ['count-2', 'count-1'] })
  await add({ name: 'tagged-2', tags: ['count-2'] })
  const { body } = await gatehouse.call('GET', `${base}/tags`)
  const counted = body.tags.filter((tag: { name: string }) => tag.name.startsWith('count'))
  counted.sort((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name))
  assert.deepEqual(
    counted.map((tag: { name: string; repositoryCount: number }) => [tag.name, tag.repositoryCount]),
    [
      ['count-1', 1],
      ['count-2', 2],
    ],
  )
  const page = (await gatehouse.call('GET', `${base}/tags?pageSize=1`)).body
  assert.deepEqual([page.tags.length, page.hasMore], [1, true])
  const next = (await gatehouse.call('GET', `${base}/tags?pageSize=100&cursor=${page.cursor}`)).body
  assert.equal(next.tags.length, body.tags.length - 1)
})

test('what does not fit is refused with a pointer', async () => {
  const cases: [object, string][] = [
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: '/lead' }, '/name'],
    [{ name: 'a /b' }, '/name'],
    [{ name: 'ok', tag: ['x'] }, '/tag'],
    [{ name: 'ok', tags: [' x'] }, '/tags/0'],
    [{ name: 'ok', tags: ['x', ''] }, '/tags/1'],
    [{ name: 'ok', tags: Array.from({ length: 101 }, (_, n) => `t${n}`) }, '/tags'],
    [{ name: 'ok', archived: 'yes' }, '/archived'],
    [{ name: 'ok', defaultBranch: 'a b' }, '/defaultBranch'],
  ]
  for (const [body, pointer] of cases) {
    const answer = await gatehouse.call('POST', path, { body })
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body.errors[0].pointer, pointer)
  }
  for (const query of ['includeArchived=1', 'pageSize=101', 'names=x', 'tag=']) {
    assert.equal((await gatehouse.call('GET', `${path}?${query}`)).status, 400, query)
  }
})

test('repositories of another deployment look like ones that do not exist', async () => {
  const other = await gatehouse.addDeployment()
  const theirs = `/api/repositories/v1/deployments/${other.id}/repositories`
  const made = await gatehouse.call('POST', theirs, { as: other.as, body: { name: 'plain', tags: ['theirs'] } })
  assert.equal(made.status, 200, 'names are unique within a deployment, not across')
  const foreign = String(made.body.repository.id)
  for (const [method, body] of [['GET'], ['PATCH', { archived: true }], ['DELETE']] as [string, object?][]) {
    const request = body ? { body } : {}
    const there = await gatehouse.call(method, `${path}/${foreign}`, request)
    const nowhere = await gatehouse.call(method, `${path}/999999`, request)
    assert.equal(there.status, 404)
    assert.equal(there.body.detail.replace(foreign, '#'), nowhere.body.detail.replace('999999', '#'))
  }
  const { tags } = (await gatehouse.call('GET', `${base}/tags`)).body
  assert.ok(tags.every((tag: { name: string }) => tag.name !== 'theirs'))
  assert.equal((await gatehouse.call('GET', theirs, { as: other.as })).body.repositories.length, 1)
})

test('where a repository is looked at is an http address, and a finding of it leads to its line', async () => {
  const { id } = await add({ name: 'linked/one', webUrl: 'https://github.com/linked/one' })
  const wrong: [object, string][] = [
    [{ webUrl: 'javascript:alert(1)' }, '/webUrl'],
    [{ webUrl: 'https://me:secret@example.com/x' }, '/webUrl'],
    [{ linkTemplates: { file: 'https://{path}.example.com/' } }, '/linkTemplates/file'],
    [{ linkTemplates: { commit: 'data:text/html,{commit}' } }, '/linkTemplates/commit'],
  ]
  for (const [body, pointer] of wrong) {
    const answer = await gatehouse.call('PATCH', `${path}/${id}`, { body })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, pointer])
    const made = await gatehouse.call('POST', path, { body: { name: 'linked/two', ...body } })
    assert.equal(made.status, 400)
  }
  await upload(
    gatehouse,
    { repository: 'linked/one', commit: 'a'.repeat(40) },
    { 'log.sarif': sarifLog({ results: [{ rule: 'linked', path: 'src/a.js', line: 4, code: 'x' }] }) },
  )
  const search = () =>
    gatehouse.call('POST', `/api/findings/${deploymentId}/findings/search`, {
      body: { filter: { repositories: ['linked/one'] } },
    })
  const [finding] = (await search()).body.findings
  assert.equal(finding.commit, 'a'.repeat(40))
  assert.equal(finding.links.file, `https://github.com/linked/one/blob/${'a'.repeat(40)}/src/a.js#L4`)
  const file = 'https://code.example.com/{ref}/{path}?line={line}'
  await gatehouse.call('PATCH', `${path}/${id}`, { body: { linkTemplates: { file } } })
  assert.equal((await search()).body.findings[0].links.file, 'https://code.example.com/main/src/a.js?line=4')
  const { repository } = (await gatehouse.call('GET', `${path}/${id}`)).body
  assert.deepEqual([repository.webUrl, repository.linkTemplates], ['https://github.com/linked/one', { file }])
})
