import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { rememberName } from './public.ts'

const clock = { at: new Date('2026-11-01T12:00:00Z'), now: () => clock.at }
const path = '/api/firewall/v1/deployments/1/package-claims'
const url = 'https://npm.example.com/secret-in-its-path/'
let gatehouse: TestGatehouse
let registry: number
let ana: { id: number; token: string }

before(async () => {
  gatehouse = await openGatehouse({ clock })
  const config = { name: 'Own', url, ecosystem: 'npm' }
  const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
  const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert: { config } } })
  registry = made.body.packageManagerConfig.id
  ana = await gatehouse.addPerson('member')
  await rememberName(gatehouse.db, 1, {
    ecosystem: 'npm',
    name: 'company-log',
    spelling: 'company-log',
    registryId: registry,
    url,
  })
  await ask(1, ['lodash@4.17.21', 'company-ui@1.0.0', 'company-log@1.0.0', 'company-log@1.1.0'])
  clock.at = new Date('2026-11-02T12:00:00Z')
  await ask(ana.id, ['company-log@1.1.0'])
})

after(() => gatehouse.close())

async function ask(personId: number, versions: string[]): Promise<void> {
  for (const each of versions) {
    const [name, version] = each.split('@') as [string, string]
    const event = { deploymentId: 1, ecosystem: 'npm', name, version, refused: false, advisoryId: '' } as const
    await gatehouse.recorder.record({ ...event, personId, tokenId: 0 })
  }
  await gatehouse.recorder.flush()
}

const attempt = (body: object, as?: string) => gatehouse.call('POST', `${path}/trial`, { body, ...(as && { as }) })
const claim = (pattern: string, more: object = {}) => ({ ecosystem: 'npm', pattern, reason: 'ours', ...more })

test('a trial says for which names somebody else would be asked and whose clients want them, and saves nothing', async () => {
  const create = [claim('Company-*', { packageManagerConfigId: registry }), claim('lodash')]
  const { status, body } = await attempt({ create })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.sentences, [
    'Ask https://npm.example.com alone for company-* of npm.',
    'Ask nobody for lodash of npm.',
  ])
  assert.deepEqual([body.names, body.truncated, body.refusedBefore, body.refusedAfter], [3, false, 0, 1])
  const shown = body.changes.map((each: Record<string, unknown>) => [
    each.name,
    each.askedOf,
    each.packageManagerConfigId,
    each.seenThere,
    each.versions,
    each.clients,
    (each.people as string[]).length,
  ])
  assert.deepEqual(shown, [
    ['company-log', 'registry', registry, true, 2, 2, 2],
    ['company-ui', 'registry', registry, false, 1, 1, 1],
    ['lodash', 'nobody', null, false, 1, 1, 1],
  ])
  assert.ok(!JSON.stringify(body).includes('secret'), 'an address can carry a token in its path')
  assert.deepEqual((await gatehouse.call('GET', path)).body.claims, [])
})

test('who may not see the clients of others is told how many they are, not whose', async () => {
  const { body } = await attempt({ create: [claim('lodash')] }, ana.token)
  assert.deepEqual([body.changes[0].clients, body.changes[0].people], [1, []])
})

test('taking a claim back is tried as well, and what could not be saved is refused as it would be then', async () => {
  const made = (await gatehouse.call('POST', path, { body: claim('lod*') })).body.claim
  const { body } = await attempt({ deleteIds: [made.id] })
  assert.deepEqual(body.sentences, ['No longer: Ask nobody for lod* of npm.'])
  assert.deepEqual([body.refusedBefore, body.refusedAfter], [1, 0])
  const [change] = body.changes
  assert.deepEqual([change.name, change.askedOfBefore, change.askedOf], ['lodash', 'nobody', 'unclaimed'])
  assert.equal((await attempt({ create: [claim('lod*')] })).status, 409)
  assert.equal((await attempt({ create: [claim('lod*')], deleteIds: [made.id] })).status, 200)
  const wrong = await attempt({ create: [claim('company-*'), claim('a*b')] })
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [422, '/create/1/pattern'])
  await gatehouse.call('DELETE', `${path}/${made.id}`)
})
