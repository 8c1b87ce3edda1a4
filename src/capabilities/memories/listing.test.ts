import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Memory } from './memory.ts'
import { openMemories } from './test-memories.ts'

let gatehouse: TestGatehouse
let memories: ReturnType<typeof openMemories>
const repositories: Record<string, string> = {}
const made: Record<string, string> = {}

before(async () => {
  gatehouse = await openGatehouse()
  memories = openMemories(gatehouse)
  // Not everybody sees every repository.
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
  await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
  repositories.shop = await memories.addRepository('list/shop', ['web', 'old'])
  repositories.site = await memories.addRepository('list/site', ['web'])
  repositories.tool = await memories.addRepository('list/tool', ['spare'])
  const scopes = {
    shop: { repositoryId: repositories.shop },
    site: { repositoryId: repositories.site },
    web: { projectTagId: await memories.tagId('web') },
    old: { projectTagId: await memories.tagId('old') },
    spare: { projectTagId: await memories.tagId('spare') },
    wide: {},
  }
  for (const [name, scope] of Object.entries(scopes)) {
    made[name] = (await memories.create({ ruleId: 'rule', content: name, ...scope })).id
  }
  await memories.create({ ruleId: 'rule', content: 'waits', stage: 'AI_MEMORY_STAGE_SUGGESTED' })
  await memories.remove((await memories.create({ ruleId: 'rule', content: 'deleted' })).id)
})
after(() => gatehouse.close())

const names = (found: Memory[]) => found.map((memory) => memory.content).join(' ')

const rows: [what: string, ids: string[], exactScope: boolean | undefined, expected: string][] = [
  ['no ids', [], undefined, 'shop site web old spare wide'],
  ['no ids, exactly', [], true, 'shop site web old spare wide'],
  ['a repository with two tags', ['shop'], undefined, 'shop web old wide'],
  ['a repository with one tag', ['site'], false, 'site web wide'],
  ['a repository without a memory of its own', ['tool'], false, 'spare wide'],
  ['two repositories', ['shop', 'tool'], false, 'shop web old spare wide'],
  ['a repository, exactly', ['shop'], true, 'shop'],
  ['two repositories, exactly', ['shop', 'site'], true, 'shop site'],
  ['a repository without a memory of its own, exactly', ['tool'], true, ''],
  ['a repository that does not exist', ['none'], false, 'wide'],
  ['a repository that does not exist, exactly', ['none'], true, ''],
]

for (const [what, ids, exactScope, expected] of rows) {
  test(`live memories for ${what}`, async () => {
    const repositoryIds = ids.map((name) => repositories[name] ?? '999999')
    assert.equal(names(await memories.list({ repositoryIds, exactScope })), expected)
  })
}

async function seeing(...names: string[]): Promise<Tester> {
  const person = await gatehouse.addPerson('member')
  const path = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const team = await gatehouse.call('POST', path, { body: { team: { name: `Those who see ${names} ${person.id}` } } })
  const users = [{ userId: person.id }]
  const held = names.map((name) => ({ repositoryId: repositories[name] }))
  const filled = await gatehouse.call('PATCH', `${path}/${team.body.team.id}`, {
    body: { team: { users, repositories: held } },
  })
  assert.equal(filled.status, 200, JSON.stringify(filled.body))
  return person
}

test('members see memories of their repositories, of tags that those carry, and of the whole deployment', async () => {
  const { token } = await seeing('site')
  assert.equal(names(await memories.list({}, token)), 'site web wide')
  const both = [repositories.shop, repositories.site]
  assert.equal(names(await memories.list({ repositoryIds: both }, token)), 'site web wide')
  assert.equal(names(await memories.list({ repositoryIds: [repositories.shop] }, token)), 'wide')
  assert.equal(names(await memories.list({ repositoryIds: both, exactScope: true }, token)), 'site')
  assert.equal((await memories.ask('GET', `/${made.shop}`, undefined, token)).status, 404)
  assert.equal((await memories.ask('GET', `/${made.old}`, undefined, token)).status, 404)
  assert.equal((await memories.ask('GET', `/${made.web}`, undefined, token)).status, 200)
})

test('members change memories of repositories they see; what reaches further is for owners and admins', async () => {
  const { token } = await seeing('site', 'tool')
  const own = await memories.create({ ruleId: 'own', repositoryId: repositories.tool }, token)
  await memories.update(own.id, { content: 'changed' }, token)
  const refused: [what: string, method: string, path: string, body: object | undefined, status: number][] = [
    ['a repository they do not see', 'POST', '', { content: 'x', ruleId: 'x', repositoryId: repositories.shop }, 422],
    ['a tag', 'POST', '', { content: 'x', ruleId: 'x', projectTagId: 1 }, 403],
    ['the whole deployment', 'POST', '', { content: 'x', ruleId: 'x' }, 403],
    ['their own made to reach everything', 'PATCH', `/${own.id}`, { repositoryId: '' }, 403],
    ['their own moved out of sight', 'PATCH', `/${own.id}`, { repositoryId: repositories.shop }, 422],
    ['a memory of the whole deployment', 'PATCH', `/${made.wide}`, { content: 'x' }, 403],
    ['a memory of a tag', 'DELETE', `/${made.web}`, undefined, 403],
    ['a memory they do not see', 'DELETE', `/${made.shop}`, undefined, 404],
  ]
  for (const [what, method, path, body, status] of refused) {
    assert.equal((await memories.ask(method, path, body, token)).status, status, what)
  }
  assert.equal((await memories.ask('DELETE', `/${own.id}`, undefined, token)).status, 200)
})

test('every field is there, in the shapes of the interface', async () => {
  const [memory] = await memories.list({ repositoryIds: [repositories.shop], exactScope: true })
  const { id, createdAt, ...rest } = memory!
  assert.equal(id, made.shop)
  assert.match(createdAt, /^\d{4}-.*\.\d{3}Z$/)
  assert.deepEqual(rest, {
    content: 'shop',
    ruleId: 'rule',
    ruleName: '',
    repositoryId: repositories.shop,
    repositoryName: 'list/shop',
    createdBy: gatehouse.owner.email,
    context: ['AI_MEMORY_CONTEXT_TRIAGE'],
    stage: 'AI_MEMORY_STAGE_LIVE',
    pathPrefixes: [],
    suggestionSources: { sources: [] },
    preanalysisCounts: {
      newlyTruePositive: '0',
      newlyFalsePositive: '0',
      remainsTruePositive: '0',
      remainsFalsePositive: '0',
    },
    vulnerabilityClass: '',
    projectTagId: 0,
  })
})

test('stages are browsed page by page', async () => {
  const browse = async (query: string) => (await memories.ask('GET', `?${query}`)).body
  assert.equal(names((await browse('stage=AI_MEMORY_STAGE_SUGGESTED')).memories), 'waits')
  assert.equal(names((await browse('stage=AI_MEMORY_STAGE_DELETED')).memories).split(' ')[0], 'deleted')
  const first = await browse('pageSize=4')
  assert.equal(names(first.memories), 'shop site web old')
  assert.equal(first.hasMore, true)
  assert.match(names((await browse(`pageSize=4&cursor=${first.cursor}`)).memories), /^spare wide waits/)
})

const impossible: [what: string, body: object, pointer: string][] = [
  ['a repository and a tag', { ruleId: 'x', repositoryId: 1, projectTagId: 1 }, '/projectTagId'],
  ['triage of everything', {}, ''],
  ['a class that no finding names', { vulnerabilityClass: 'Cross-site scripting' }, '/vulnerabilityClass'],
  ['a tag that does not exist', { ruleId: 'x', projectTagId: 999_999 }, '/projectTagId'],
  ['a repository that does not exist', { ruleId: 'x', repositoryId: '999999' }, '/repositoryId'],
]
for (const [what, body, pointer] of impossible) {
  test(`there is no memory with ${what}`, async () => {
    const answer = await memories.ask('POST', '', { content: 'x', ...body })
    assert.equal(answer.status, 422)
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
  })
}

test('what is not for triage may be about anything, of any class', async () => {
  const context = ['AI_MEMORY_CONTEXT_REVIEW']
  const advice = await memories.create({ context, vulnerabilityClass: 'Cross-site scripting', ruleId: 'x' })
  assert.equal((await memories.ask('PATCH', `/${advice.id}`, { context: ['AI_MEMORY_CONTEXT_TRIAGE'] })).status, 422)
  await memories.remove(advice.id)
})

test('a change needs the version it was made for, and a deleted memory takes none', async () => {
  const { id } = await memories.create({ ruleId: 'versions' })
  const path = `/api/ai/deployments/${gatehouse.owner.deploymentId}/memories/${id}`
  const stale = { 'if-match': '"99"' }
  assert.equal((await gatehouse.call('PATCH', path, { body: { content: 'x' }, headers: stale })).status, 412)
  assert.equal((await gatehouse.call('DELETE', path, { headers: stale })).status, 412)
  await memories.remove(id)
  assert.equal((await memories.ask('PATCH', `/${id}`, { content: 'x' })).status, 409)
  assert.equal((await memories.ask('POST', `/${id}/promote`, {})).status, 409)
  assert.equal((await memories.ask('POST', `/${id}/preanalyze`)).status, 409)
})

test('all memories together have a bound, since they are listed as a whole', async () => {
  const { deploymentId } = gatehouse.owner
  const { id } = await memories.create({ ruleId: 'rule', content: 'long' })
  const write = (bytes: number) =>
    gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
      tx.query(
        sql`update memory set content = repeat('x', ${bytes}) where deployment_id = ${deploymentId} and id = ${id}`,
      ),
    )
  await write(20_000_000)
  const refused = await memories.ask('POST', '', { ruleId: 'rule', content: 'one more' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'unprocessable'])
  assert.match(refused.body.detail, /at most 20 MB/)
  const longer = await memories.ask('PATCH', `/${made.wide}`, { content: 'longer than before' })
  assert.equal(longer.status, 422)
  await write(1)
  await memories.remove((await memories.create({ ruleId: 'rule', content: 'one more' })).id)
  await memories.remove(id)
})
