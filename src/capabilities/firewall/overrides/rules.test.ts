import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { testFeed } from '../advisories/test-feed.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
let path: string

before(async () => {
  gatehouse = await openGatehouse({ clock })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  feed.add({ id: 'MAL-1', name: 'evil' }, { id: 'MAL-2', name: 'half', versions: ['1.0.0'] })
  assert.equal((await gatehouse.firewall.feeds.sync(feed.place)).outcome, 'activated')
})
beforeEach(() => {
  clock.at = new Date('2026-11-15T12:00:00Z')
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

/** As somebody gets it who asks as soon as the change before is answered. */
async function verdict(name: string, more = '', as?: { id: number; as: string }) {
  const base = as ? `/api/firewall/v1/deployments/${as.id}` : path
  const query = `ecosystem=npm&name=${encodeURIComponent(name)}&version=1.0.0${more}`
  const answer = await gatehouse.call('GET', `${base}/verdict?${query}`, as ? { as: as.as } : {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function audits(): Promise<string[]> {
  const { body } = await gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=100`,
  )
  return body.events.map((event: { action: string }) => event.action)
}

test('an override is in force at once, until it expires or is deleted, in its own deployment only', async () => {
  const other = await gatehouse.addDeployment()
  const expiresAt = '2026-11-16T12:00:00.000Z'
  const allow = { ecosystem: 'npm', name: 'evil', effect: 'allow', reason: 'we wrote it', expiresAt }
  const made = await gatehouse.call('POST', `${path}/overrides`, { body: allow })
  assert.partialDeepStrictEqual(made.body.override, {
    ...allow,
    version: '',
    createdAt: '2026-11-15T12:00:00.000Z',
  })
  assert.ok(made.body.override.createdBy > 0)
  const allowed = await verdict('evil')
  assert.deepEqual([allowed.decision, allowed.refuse], ['allow', false])
  assert.match(allowed.reason, /we wrote it/)
  assert.equal((await verdict('evil', '', other)).decision, 'block')

  const again = await gatehouse.call('POST', `${path}/overrides`, { body: allow })
  assert.equal(again.status, 409)
  clock.at = new Date(expiresAt)
  assert.equal((await verdict('evil')).decision, 'block')
  const renewed = await gatehouse.call('POST', `${path}/overrides`, { body: { ...allow, expiresAt: null } })
  assert.equal(renewed.status, 200)
  assert.equal((await verdict('evil')).decision, 'allow')
  const list = await gatehouse.call('GET', `${path}/overrides`)
  assert.deepEqual(list.body.overrides, [renewed.body.override])
  assert.deepEqual(
    (await gatehouse.call('GET', `/api/firewall/v1/deployments/${other.id}/overrides`, { as: other.as })).body
      .overrides,
    [],
  )

  const gone = await gatehouse.call('DELETE', `${path}/overrides/${renewed.body.override.id}`)
  assert.deepEqual(gone.body, renewed.body)
  assert.equal((await verdict('evil')).decision, 'block')
  assert.equal((await gatehouse.call('DELETE', `${path}/overrides/${renewed.body.override.id}`)).status, 404)
  const actions = await audits()
  assert.ok(actions.includes('firewall-override.create') && actions.includes('firewall-override.delete'))
})

test('a denied package is refused though nobody else says anything', async () => {
  const deny = { ecosystem: 'npm', name: 'left-pad', version: '1.0.0', effect: 'deny', reason: 'we do it ourselves' }
  const { body } = await gatehouse.call('POST', `${path}/overrides`, { body: deny })
  const denied = await verdict('left-pad')
  assert.partialDeepStrictEqual(denied, {
    decision: 'block',
    refuse: true,
    advisoryIds: [`override-${body.override.id}`],
  })
  const past = await gatehouse.call('POST', `${path}/overrides`, {
    body: { ...deny, name: 'x', expiresAt: '2026-01-01T00:00:00Z' },
  })
  assert.equal(past.status, 422)
})

test('each ecosystem has its own settings: the age gate with its exceptions, and what is undetermined', async () => {
  const defaults = await gatehouse.call('GET', `${path}/settings`)
  const npm = {
    ecosystem: 'npm',
    undetermined: 'block',
    held: 'block',
    minimumAgeHours: 0,
    ageExceptions: [],
    maximumDataAgeHours: 0,
    mirrorHosts: [],
  }
  assert.deepEqual(
    defaults.body.settings.find((each: { ecosystem: string }) => each.ecosystem === 'npm'),
    npm,
  )
  assert.deepEqual(
    defaults.body.settings.map((each: { ecosystem: string }) => each.ecosystem),
    ['npm', 'pypi', 'maven', 'cargo', 'gomod'],
  )
  const elsewhere = { ...defaults.body.settings[0], ecosystem: 'gem' }
  assert.equal((await gatehouse.call('PUT', `${path}/settings`, { body: elsewhere })).status, 400)

  const gate = { ...npm, minimumAgeHours: 72, ageExceptions: ['quick', '@ours/*'] }
  assert.deepEqual((await gatehouse.call('PUT', `${path}/settings`, { body: gate })).body, gate)
  const young = '&publishedAt=2026-11-14T12:00:00Z'
  assert.equal((await verdict('slow', young)).decision, 'block')
  assert.match((await verdict('slow', young)).reason, /^Versions younger than 3 days are held back; /)
  assert.equal((await verdict('slow', '&publishedAt=2026-11-12T12:00:00Z')).decision, 'allow')
  assert.equal((await verdict('quick', young)).decision, 'allow')
  assert.equal((await verdict('@ours/any', young)).decision, 'allow')
  assert.deepEqual([(await verdict('slow')).decision, (await verdict('slow')).refuse], ['undetermined', true])
  await gatehouse.call('PUT', `${path}/settings`, { body: { ...gate, undetermined: 'warn' } })
  assert.deepEqual([(await verdict('slow')).decision, (await verdict('slow')).refuse], ['undetermined', false])
  assert.equal((await verdict('evil')).refuse, true)
  const restored = await gatehouse.call('PUT', `${path}/settings`, { body: npm })
  assert.deepEqual(restored.body, npm)
  assert.ok((await audits()).includes('firewall-settings.update'))
})

test('a pattern or a range denies and allows what it names, and no more', async () => {
  const make = async (name: string, version: string, effect: string) => {
    const body = { ecosystem: 'npm', name, version, effect, reason: `${effect} ${name}` }
    const made = await gatehouse.call('POST', `${path}/overrides`, { body })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body.override as { id: number; name: string; version: string }
  }
  const scope = await make('@evil/*', '', 'deny')
  const range = await make('lodash', ' <4.17.21  || 5.0.0', 'deny')
  const one = await make('@evil/fine', '>=1.0.0', 'allow')
  assert.deepEqual([range.name, range.version], ['lodash', '<4.17.21 || 5.0.0'])
  const ask = async (name: string, version: string) => {
    const query = new URLSearchParams({ ecosystem: 'npm', name, version })
    return (await gatehouse.call('GET', `${path}/verdict?${query}`)).body
  }
  assert.partialDeepStrictEqual(await ask('@evil/thing', '1.0.0'), {
    refuse: true,
    advisoryIds: [`override-${scope.id}`],
  })
  assert.partialDeepStrictEqual(await ask('@evil2/thing', '1.0.0'), { refuse: false })
  assert.partialDeepStrictEqual(await ask('@evil/fine', '1.0.0'), { refuse: false, decision: 'allow' })
  assert.partialDeepStrictEqual(await ask('@evil/fine', '0.9.0'), { refuse: true })
  assert.partialDeepStrictEqual(await ask('lodash', '4.9.0'), { refuse: true, advisoryIds: [`override-${range.id}`] })
  assert.partialDeepStrictEqual(await ask('lodash', '4.17.21'), { refuse: false })
  for (const { id } of [scope, range, one]) await gatehouse.call('DELETE', `${path}/overrides/${id}`)
})

const notUnderstood: [name: string, version: string, effect: string, pointer: string][] = [
  ['@evil', '', 'deny', '/name'],
  ['a*b', '', 'deny', '/name'],
  ['left-pad@1.0.0', '', 'deny', '/name'],
  ['left-pad', '^1.0.0', 'deny', '/version'],
  ['left-pad', '1.x', 'allow', '/version'],
  ['left-pad', '>2.0.0 <1.0.0', 'deny', '/version'],
  ['*', '', 'allow', '/name'],
  ['@a*', '', 'allow', '/name'],
]

test('what cannot be understood is 422 and says where, and nothing is stored', async () => {
  const before = (await gatehouse.call('GET', `${path}/overrides`)).body
  for (const [name, version, effect, pointer] of notUnderstood) {
    const body = { ecosystem: 'npm', name, version, effect, reason: 'because' }
    const answer = await gatehouse.call('POST', `${path}/overrides`, { body })
    assert.equal(answer.status, 422, name)
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
  }
  assert.deepEqual((await gatehouse.call('GET', `${path}/overrides`)).body, before)
  const { body } = await gatehouse.call('GET', `${path}/settings`)
  const npm = body.settings.find((each: { ecosystem: string }) => each.ecosystem === 'npm')
  const wrong = await gatehouse.call('PUT', `${path}/settings`, { body: { ...npm, ageExceptions: ['fine', '@ours'] } })
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [422, '/ageExceptions/1'])
})

test('overrides are listed by package, person and whether they are in force, with names', async () => {
  const admin = await gatehouse.addPerson('admin')
  const make = (name: string, as: string, more: object = {}) =>
    gatehouse.call('POST', `${path}/overrides`, {
      as,
      body: { ecosystem: 'npm', name, effect: 'deny', reason: 'because', ...more },
    })
  await make('listed-one', admin.token, { expiresAt: '2026-11-15T13:00:00Z' })
  await make('listed-two', gatehouse.owner.token)
  const list = async (query: string) =>
    (await gatehouse.call('GET', `${path}/overrides?${query}`)).body.overrides.map(
      (each: { name: string }) => each.name,
    )
  assert.deepEqual(await list('package=LISTED-'), ['listed-one', 'listed-two'])
  assert.deepEqual(await list(`package=listed&personId=${admin.id}`), ['listed-one'])
  assert.deepEqual(await list('package=listed&state=expired'), [])
  clock.at = new Date('2026-11-15T13:00:00Z')
  assert.deepEqual(await list('package=listed&state=expired'), ['listed-one'])
  assert.deepEqual(await list('package=listed&state=in_force'), ['listed-two'])
  const { body } = await gatehouse.call('GET', `${path}/overrides?personId=${admin.id}`)
  assert.ok(body.overrides[0].createdByName.length > 0)
  assert.equal((await gatehouse.call('GET', `${path}/overrides?state=gone`)).status, 400)
})

test('the overrides about a package are its own, however its name is written, and those whose pattern covers it', async () => {
  const made: [ecosystem: string, name: string][] = [
    ['pypi', 'covered-yaml'],
    ['pypi', 'covered-*'],
    ['pypi', 'covered-yaml-more'],
    ['npm', '@covered/*'],
    ['npm', 'covered-yaml'],
    ['maven', 'com.covered.*'],
  ]
  for (const [ecosystem, name] of made) {
    const body = { ecosystem, name, effect: 'deny', reason: 'because' }
    assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body })).status, 200)
  }
  const about = async (ecosystem: string, name: string) => {
    const query = `ecosystem=${ecosystem}&name=${encodeURIComponent(name)}`
    const { body } = await gatehouse.call('GET', `${path}/overrides?${query}`)
    return body.overrides.map((each: { name: string }) => each.name)
  }
  assert.deepEqual(await about('pypi', 'Covered_YAML'), ['covered-yaml', 'covered-*'])
  assert.deepEqual(await about('npm', '@covered/thing'), ['@covered/*'])
  assert.deepEqual(await about('maven', 'com.covered:lib'), ['com.covered.*'])
  assert.deepEqual(await about('npm', 'covered'), [])
  const alone = await gatehouse.call('GET', `${path}/overrides?name=covered`)
  assert.deepEqual([alone.status, alone.body.errors[0].pointer], [400, '/ecosystem'])
})
