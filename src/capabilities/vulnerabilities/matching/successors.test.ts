import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { recount } from '../../findings/public.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver, type TestAdvisory } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
const { deploymentId } = gatehouse.owner
const feed = advisoryFolder()
after(async () => {
  await gatehouse.close()
  feed.remove()
})

type Words = Partial<TestAdvisory> & { id: string }
const ignored = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
const allowed = { critical: null, high: null, medium: 30, low: null, info: null }
const withdrawn = '2026-06-01T00:00:00Z'

/** As GitHub withdraws an advisory in favour of another: its CVE goes with the other one. */
const duplicateOf = (other: string) => ({
  withdrawn,
  summary: 'Duplicate Advisory: Prototype pollution',
  details: `## Duplicate Advisory\nThis advisory has been withdrawn because it is a duplicate of ${other}. This link is maintained to preserve external references.\n\n## Original Description\nPrototype pollution.`,
})

async function announce(name: string, ...all: Words[]): Promise<void> {
  const affected = [{ name, ranges: [semver('0', '2.0.0')] }]
  feed.put(...all.map((words) => ({ affected, ...words })))
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated' })
}

async function send(name: string, version = '1.0.0', more: object = {}): Promise<void> {
  const files = { 'package-lock.json': packageLock({ [name]: version }) }
  const answer = await upload(gatehouse, { repository: `next/${name}`, ...more }, files)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function ignore(id: number): Promise<void> {
  const path = `/api/findings/${deploymentId}/findings/${id}`
  assert.equal((await gatehouse.call('POST', path, { body: ignored })).status, 200)
}

/** Findings of the repository by their rule, with what became of them. */
async function states(name: string, more: object = {}): Promise<Record<string, [id: number, state: string]>> {
  const found = await findingsOf(gatehouse, `next/${name}`, more)
  return Object.fromEntries(found.map((one) => [one.ruleId, [one.id, one.triageState.slice('TRIAGE_STATE_'.length)]]))
}

/** What stands about a package by the first advisories, and what is left of it after the second ones. */
async function changed(name: string, first: Words[], second: Words[]) {
  await announce(name, ...first)
  await send(name)
  const [before] = await findingsOf(gatehouse, `next/${name}`)
  await ignore(before.id)
  await announce(name, ...second)
  await settled(gatehouse)
  return { before, found: await findingsOf(gatehouse, `next/${name}`) }
}

const kept: [string, Words[], Words[], rule: string][] = [
  [
    'a duplicate whose CVE goes to the other one',
    [{ id: 'GHSA-k1aa', aliases: ['CVE-2026-101'] }],
    [
      { id: 'GHSA-k1aa', ...duplicateOf('GHSA-k1bb') },
      { id: 'GHSA-k1bb', aliases: ['CVE-2026-101'] },
    ],
    'CVE-2026-101',
  ],
  [
    'a duplicate that shares no id with the other one',
    [{ id: 'GHSA-k2aa' }],
    [{ id: 'GHSA-k2aa', ...duplicateOf('GHSA-k2bb') }, { id: 'GHSA-k2bb' }],
    'GHSA-k2bb',
  ],
  [
    'the oldest of records about the same CVE',
    [
      { id: 'PYSEC-k3', aliases: ['CVE-2026-103'] },
      { id: 'GHSA-k3', aliases: ['CVE-2026-103'], published: '2026-02-01T00:00:00Z' },
    ],
    [{ id: 'PYSEC-k3', aliases: ['CVE-2026-103'], withdrawn }],
    'CVE-2026-103',
  ],
  [
    'a record that is withdrawn without a word, with what it was called the same as',
    [{ id: 'GHSA-k4aa', aliases: ['CVE-2026-104'] }],
    [
      { id: 'GHSA-k4aa', withdrawn },
      { id: 'GHSA-k4bb', aliases: ['CVE-2026-104'] },
    ],
    'CVE-2026-104',
  ],
  [
    'an older record that comes in later',
    [{ id: 'GHSA-k5aa', aliases: ['CVE-2026-105'] }],
    [{ id: 'PYSEC-k5', aliases: ['CVE-2026-105'], published: '2025-01-01T00:00:00Z' }],
    'CVE-2026-105',
  ],
]

for (const [at, [title, first, second, rule]] of kept.entries()) {
  test(`a finding and what was decided about it outlast ${title}`, async () => {
    const { before, found } = await changed(`kept${at}`, first, second)
    assert.equal(found.length, 1)
    const { id, raisedAt } = before
    assert.partialDeepStrictEqual(found[0], { id, raisedAt, ruleId: rule, ...ignored })
    await send(`kept${at}`, '1.0.1')
    assert.deepEqual(await states(`kept${at}`), { [rule]: [id, 'IGNORED'] })
  })
}

const apart: [string, Words[], Words[], rule: string][] = [
  [
    'a new advisory about the same package, while another is withdrawn',
    [{ id: 'GHSA-a1aa', aliases: ['CVE-2026-201'] }],
    [
      { id: 'GHSA-a1aa', aliases: ['CVE-2026-201'], withdrawn },
      { id: 'GHSA-a1bb', aliases: ['CVE-2026-202'] },
    ],
    'CVE-2026-202',
  ],
  [
    'one with an id that a corrected advisory had by mistake',
    [{ id: 'GHSA-a2aa', aliases: ['CVE-2026-203'] }],
    [
      { id: 'GHSA-a2aa', affected: [{ name: 'apart1', ranges: [semver('0', '0.5.0')] }] },
      { id: 'GHSA-a2bb', aliases: ['CVE-2026-203'] },
    ],
    'CVE-2026-203',
  ],
  [
    'one that a duplicate is not a duplicate of',
    [{ id: 'GHSA-a3aa', aliases: ['CVE-2026-204'] }],
    [
      { id: 'GHSA-a3aa', ...duplicateOf('GHSA-a3cc') },
      { id: 'GHSA-a3bb', aliases: ['CVE-2026-204'] },
    ],
    'CVE-2026-204',
  ],
  [
    'one that is only related',
    [{ id: 'GHSA-a4aa' }],
    [{ id: 'GHSA-a4aa', withdrawn, related: ['GHSA-a4bb'] }, { id: 'GHSA-a4bb' }],
    'GHSA-a4bb',
  ],
]

for (const [at, [title, first, second, rule]] of apart.entries()) {
  test(`what was decided about an advisory is not taken for ${title}`, async () => {
    const { before, found } = await changed(`apart${at}`, first, second)
    const other = found.find((one) => one.id !== before.id)
    assert.deepEqual([other?.ruleId, other?.triageState], [rule, 'TRIAGE_STATE_OPEN'])
    assert.equal(found.length, 2)
  })
}

test('what is open keeps its deadline, and is new to nobody', async () => {
  const deadlines = await gatehouse.call('PUT', `/api/findings/${deploymentId}/deadlines`, { body: allowed })
  assert.equal(deadlines.status, 200, JSON.stringify(deadlines.body))
  await announce('due', { id: 'GHSA-d1' })
  await send('due')
  const [{ id, raisedAt, dueAt, fingerprint }] = await findingsOf(gatehouse, 'next/due')
  assert.ok(dueAt)
  await announce('due', { id: 'GHSA-d1', ...duplicateOf('GHSA-d2') }, { id: 'GHSA-d2' })
  await settled(gatehouse)
  const [after, ...others] = await findingsOf(gatehouse, 'next/due')
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(after, { id, raisedAt, dueAt, ruleId: 'GHSA-d2', triageState: 'TRIAGE_STATE_OPEN' })
  assert.notEqual(after.fingerprint, fingerprint)
  const { body } = await gatehouse.call('GET', `/api/findings/${deploymentId}/findings/${id}/history`)
  assert.equal(body.history.length, 1)
})

test('of several that become one, rather one that hides nothing goes on', async () => {
  await announce('merged', { id: 'GHSA-m1' }, { id: 'GHSA-m2' }, { id: 'GHSA-m3' })
  await send('merged')
  const before = await states('merged')
  await ignore(before['GHSA-m1']![0])
  await announce('merged', ...['GHSA-m1', 'GHSA-m2', 'GHSA-m3'].map((id) => ({ id, ...duplicateOf('GHSA-m4') })), {
    id: 'GHSA-m4',
  })
  await settled(gatehouse)
  assert.deepEqual(await states('merged'), {
    'GHSA-m1': [before['GHSA-m1']![0], 'IGNORED'],
    'GHSA-m4': [before['GHSA-m2']![0], 'OPEN'],
    'GHSA-m3': [before['GHSA-m3']![0], 'FIXED'],
  })
})

test('a duplicate of what stands already is fixed, and both keep what was decided about them', async () => {
  await announce('both', { id: 'GHSA-b1' }, { id: 'GHSA-b2' })
  await send('both')
  const before = await states('both')
  await ignore(before['GHSA-b1']![0])
  await announce('both', { id: 'GHSA-b2', ...duplicateOf('GHSA-b1') })
  await settled(gatehouse)
  const after = { 'GHSA-b1': [before['GHSA-b1']![0], 'IGNORED'], 'GHSA-b2': [before['GHSA-b2']![0], 'FIXED'] }
  assert.deepEqual(await states('both'), after)
})

test('of two that turn out to be the same, the history of the one that goes names the other', async () => {
  await announce('twins', { id: 'GHSA-t1' }, { id: 'PYSEC-t2' })
  await send('twins')
  const before = await states('twins')
  await announce('twins', ...['GHSA-t1', 'PYSEC-t2'].map((id) => ({ id, aliases: ['CVE-2026-401'] })))
  await settled(gatehouse)
  const [id] = before['PYSEC-t2']!
  assert.deepEqual(await states('twins'), {
    'CVE-2026-401': [before['GHSA-t1']![0], 'OPEN'],
    'PYSEC-t2': [id, 'FIXED'],
  })
  const { body } = await gatehouse.call('GET', `/api/findings/${deploymentId}/findings/${id}/history`)
  assert.equal(body.history[0].note, 'It is the same as CVE-2026-401 by now, which has another finding.')
})

test('pull requests keep their findings too, whoever comes first', async () => {
  await send('pulled', '3.0.0')
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', baseRef: 'main', pullRequest: 7 }
  await announce('pulled', { id: 'GHSA-p1', aliases: ['CVE-2026-301'] })
  await send('pulled', '1.0.0', change)
  const before = await states('pulled', { pullRequest: 7 })
  await ignore(before['CVE-2026-301']![0])
  const next = [{ id: 'GHSA-p1', ...duplicateOf('GHSA-p2') }, { id: 'GHSA-p2' }]
  await announce('pulled', ...next)
  await send('pulled', '1.0.1', change)
  const named = { 'GHSA-p2': [before['CVE-2026-301']![0], 'IGNORED'] }
  assert.deepEqual(await states('pulled', { pullRequest: 7 }), named)
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})

test('of pull requests that are over only what people decided takes the new name, and counts in the next one', async () => {
  await send('over', '3.0.0')
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', baseRef: 'main' }
  await announce('over', { id: 'GHSA-o1' })
  for (const pullRequest of [1, 2, 3]) await send('over', '1.0.0', { ...change, pullRequest })
  const [[id]] = Object.values(await states('over', { pullRequest: 1 })) as [[number, string]]
  await ignore(id)
  for (const pullRequest of [1, 2]) {
    const body = { repository: 'next/over', pullRequest }
    await gatehouse.call('POST', `/api/scans/v1/deployments/${deploymentId}/ended-pull-requests`, { body })
  }
  await announce('over', { id: 'GHSA-o1', ...duplicateOf('GHSA-o2') }, { id: 'GHSA-o2' })
  await send('over', '1.0.1', { ...change, pullRequest: 3 })
  const named = await gatehouse.db.as(gatehouse.owner).query<{ pullRequests: number[] }>(sql`select
      array_agg(f.pull_request order by f.pull_request) as "pullRequests" from finding f
    join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id and r.name = 'next/over'
    where f.deployment_id = ${deploymentId} group by f.fingerprint order by 1`)
  assert.deepEqual(
    named.map((one) => one.pullRequests),
    [[1, 3], [2]],
  )
  await send('over', '1.0.0', { ...change, pullRequest: 4 })
  assert.deepEqual(
    Object.values(await states('over', { pullRequest: 4 })).map(([, state]) => state),
    ['IGNORED'],
  )
})
