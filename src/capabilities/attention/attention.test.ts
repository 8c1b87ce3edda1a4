import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { permissionNames } from '../../kernel/access/permission.ts'
import { sarifLog } from '../findings/test-log.ts'
import { upload } from '../scans/test-upload.ts'
import { attentionKinds } from './contract.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
})
after(() => gatehouse.close())

const path = '/api/deployments/v1/deployments/1/attention'

async function attention(as = gatehouse.owner.token): Promise<Record<string, number>> {
  const { status, body } = await gatehouse.call('GET', path, { as })
  assert.equal(status, 200)
  return Object.fromEntries(body.items.map(({ kind, count }: { kind: string; count: number }) => [kind, count]))
}

function write(statement: ReturnType<typeof sql>): Promise<unknown> {
  return gatehouse.db.transaction(systemActor(1, 'test'), (tx) => tx.query(statement))
}

const get = async (address: string) => (await gatehouse.call('GET', address)).body

async function blockRule(rule: string): Promise<void> {
  const { policies } = await get('/api/policies/v1/deployments/1/policies')
  const policy = policies.find(
    (each: { productType: string; isDefault: boolean }) => each.productType === 'PRODUCT_TYPE_SAST' && each.isDefault,
  )
  const answer = await gatehouse.call('PUT', `/api/policies/v1/deployments/1/policies/${policy.id}/rules`, {
    body: { rules: [{ rule, mode: 'block' }] },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

test('where nothing waits, every kind that may be listed is there and zero', async () => {
  assert.deepEqual(await attention(), Object.fromEntries(attentionKinds.map((kind) => [kind, 0])))
})

test('every number counts what its own list has', async () => {
  await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': sarifLog({ results: [] }) })
  await blockRule('bad-rule')
  for (const pullRequest of [7, 8, 9]) {
    const change = {
      repository: 'shop/web',
      ref: `change-${pullRequest}`,
      kind: 'SCAN_KIND_PULL_REQUEST',
      pullRequest,
      baseRef: 'main',
    }
    const rule = pullRequest === 9 ? 'fine-rule' : 'bad-rule'
    await upload(gatehouse, change, {
      'log.sarif': sarifLog({ results: [{ rule, path: 'a.js', code: `x(${pullRequest})` }] }),
    })
  }
  await gatehouse.call('POST', '/api/scans/v1/deployments/1/ended-pull-requests', {
    body: { repository: 'shop/web', pullRequest: 8 },
  })
  await gatehouse.call('PATCH', '/api/repositories/v1/deployments/1/repositories/1', {
    body: { publiclyExposed: true },
  })
  await upload(
    gatehouse,
    { repository: 'shop/web' },
    {
      'log.sarif': sarifLog({
        tool: 'Other',
        results: [{ rule: 'sure', path: 'b.js', code: 'b', level: 'error', properties: { confidence: 'high' } }],
      }),
    },
  )
  await write(sql`insert into outbox (deployment_id, kind, payload, key, lane, run_at, dead_at)
    values (1, 'test.kind', '{}', 'k1', 'l', now(), now()), (1, 'test.kind', '{}', 'k2', 'l', now(), now())`)
  const suggestion = { content: 'x', ruleId: 'sure', repositoryId: '1', stage: 'AI_MEMORY_STAGE_SUGGESTED' }
  const remembered = await gatehouse.call('POST', '/api/ai/deployments/1/memories', { body: suggestion })
  assert.equal(remembered.status, 200, JSON.stringify(remembered.body))
  await write(sql`insert into firewall_held (deployment_id, advisory_id, ecosystem, name, repository_count, versions, state)
    values (1, 'MAL-1', 'npm', 'a', 5, '{}', 'held'), (1, 'MAL-2', 'npm', 'b', 5, '{}', 'released')`)
  await write(sql`insert into firewall_exception
      (deployment_id, ecosystem, name, version, state, rule, reason, advisory_ids, created_at)
    values (1, 'npm', 'a', '1.0.0', 'open', 'too_young', '', '{}', now()),
      (1, 'npm', 'a', '1.1.0', 'rejected', 'too_young', '', '{}', now())`)
  await gatehouse.makeToken(gatehouse.owner.jwt, 1, { expiresInDays: 3 })
  await gatehouse.makeToken(gatehouse.owner.jwt, 1, { expiresInDays: 60 })

  const counted = await attention()
  const search = await gatehouse.call('POST', '/api/findings/1/findings/search', {
    body: { filter: { stage: 'priorityFindings' } },
  })
  const blocked = await get('/api/scans/v1/deployments/1/pull-requests?blocked=true&over=false')
  const found = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories/search', { body: {} })
  assert.deepEqual(
    found.body.repositories.map((each: { blockedPullRequests: number }) => each.blockedPullRequests),
    [1],
  )
  const letters = await get('/api/jobs/v1/deployments/1/dead-letters')
  const memories = await get('/api/ai/deployments/1/memories?stage=AI_MEMORY_STAGE_SUGGESTED')
  const held = await get('/api/firewall/v1/deployments/1/held-advisories')
  const asked = await get('/api/firewall/v1/deployments/1/exceptions?state=open')
  const tokens = await get('/api/tokens/v1/deployments/1/tokens?state=expiring')
  assert.deepEqual(
    blocked.pullRequests.map((each: { pullRequest: number }) => each.pullRequest),
    [7],
  )
  assert.deepEqual(
    { ...counted },
    {
      priorityFindings: search.body.findings.length,
      overdueFindings: 0,
      blockedPullRequests: 1,
      exposures: 0,
      heldAdvisories: held.heldAdvisories.filter((each: { state: string }) => each.state === 'held').length,
      askedExceptions: asked.exceptions.length,
      watchedPackages: 0,
      suggestedMemories: memories.memories.length,
      deadLetters: letters.total,
      expiringCertificates: 0,
      expiringTokens: tokens.total,
      staleFeeds: 0,
      revokedTrackers: 0,
    },
  )
  assert.deepEqual(
    [counted.heldAdvisories, asked.exceptions.length, letters.total, tokens.tokens.length, memories.memories.length],
    [1, 1, 2, 1, 1],
  )
  assert.ok(counted.priorityFindings! > 0)
})

test('what a role or a token may not list is not counted for it', async () => {
  const reader = await gatehouse.addPerson('readonly')
  const seen = await attention(reader.token)
  assert.deepEqual(
    Object.keys(seen).filter((kind) => ['deadLetters', 'expiringCertificates'].includes(kind)),
    [],
  )
  // In no team: none of the repositories, and one's own tokens alone.
  assert.deepEqual([seen.priorityFindings, seen.blockedPullRequests, seen.expiringTokens], [0, 0, 0])
  const scopes = ['deployment:read', 'jobs:read']
  assert.ok(scopes.every((scope) => (permissionNames as string[]).includes(scope)))
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes })
  assert.deepEqual(Object.keys(await attention(narrow)), ['deadLetters'])
})

test('a search of dead letters and tokens counts what it finds', async () => {
  const letters = await get('/api/jobs/v1/deployments/1/dead-letters?text=K2&pageSize=1')
  assert.deepEqual([letters.total, letters.deadLetters[0].key], [1, 'k2'])
  const first = await get('/api/jobs/v1/deployments/1/dead-letters?pageSize=1')
  assert.deepEqual([first.total, first.deadLetters.length, first.hasMore], [2, 1, true])
  const none = await get('/api/tokens/v1/deployments/1/tokens?text=no%25such')
  assert.deepEqual([none.total, none.tokens.length], [0, 0])
  const revoked = await get('/api/tokens/v1/deployments/1/tokens?state=revoked')
  assert.equal(revoked.total, 0)
})

test('the status of the system is for operators, and has no secret', async () => {
  const { status, body } = await gatehouse.call('GET', '/api/system/v1/status')
  assert.equal(status, 200)
  assert.equal(body.database.version.split('.')[0] >= '15', true)
  assert.ok(body.database.bytes > 0 && body.keys.some((key: { scope: string }) => key.scope === 'instance'))
  assert.deepEqual(
    body.queue.find((each: { kind: string }) => each.kind === 'test.kind'),
    { kind: 'test.kind', waiting: 0, oldestSeconds: 0, dead: 2 },
  )
  assert.ok(body.checks.some((check: { part: string; state: string }) => check.part === 'keys' && check.state === 'ok'))
  assert.ok(!JSON.stringify(body).includes('password'))
  const owner = await gatehouse.addPerson('owner')
  for (const as of [owner.token, owner.jwt]) {
    assert.equal((await gatehouse.call('GET', '/api/system/v1/status', { as })).status, 403)
  }
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['deployment:read'] })
  assert.equal((await gatehouse.call('GET', '/api/system/v1/status', { as: narrow })).status, 403)
})
