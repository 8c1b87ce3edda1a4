import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'

const gatehouse = await openGatehouse({ env: { GATEHOUSE_PLAIN_HTTP_HOSTS: 'r.example.com' } })
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const configs = `/api/agent/deployments/${deploymentId}/packagemanagerauthconfigs`
const login = { username: 'ci', password: 'pässword' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Any = any

function create(config: object, credentials: object = {}) {
  const body = { packageManagerConfigForInsert: { config, ...credentials } }
  return gatehouse.call('POST', configs, { body })
}

async function made(config: object, credentials: object = {}): Promise<Any> {
  const answer = await create({ name: 'Ours', url: 'https://r.example.com/a', ...config }, credentials)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.packageManagerConfig
}

function update(id: number, packageManagerConfigForInsert: object, headers = {}) {
  return gatehouse.call('PATCH', `${configs}/${id}`, { headers, body: { packageManagerConfigForInsert } })
}

async function listed(id: number): Promise<Any> {
  const { body } = await gatehouse.call('GET', configs)
  return body.packageManagerConfigsWithCredentials.find((entry: Any) => entry.config.id === id)
}

async function opened(id: number): Promise<Any> {
  const { credentials } = await listed(id)
  if (!credentials) return null
  const place = { record: `package-manager-config:${id}`, field: 'credentials' }
  return JSON.parse((await gatehouse.ring.open(String(deploymentId), credentials, place)).toString('utf8'))
}

const pointersOf = (answer: Any) => answer.body.errors?.map((error: Any) => error.pointer).sort()
const at = '/packageManagerConfigForInsert'

const fitting: [string, object][] = [
  ['maven', { maven: login }],
  ['pypi', { pypi: login }],
  ['npm', { npm: { token: 'npm_x' } }],
  ['npm', { npm: { basicAuth: login } }],
  ...['cargo', 'gomod'].flatMap((ecosystem): [string, object][] => [
    [ecosystem, { npm: { token: 'x' } }],
    [ecosystem, { npm: { basicAuth: login } }],
  ]),
  ...['npm', 'pypi', 'maven', 'nuget', 'gem', 'cargo', 'swiftpm'].map((ecosystem): [string, object] => [
    ecosystem,
    { codeArtifact: { assumeRoleArn: 'arn:aws:iam::123456789012:role/ci' } },
  ]),
]

for (const [ecosystem, credentials] of fitting) {
  test(`${ecosystem} takes ${JSON.stringify(credentials).replace(/:.*/, '')}, sealed in the shape in which it was sent`, async () => {
    const config = await made({ ecosystem }, credentials)
    assert.equal(config.requiresAuth, true)
    assert.deepEqual(await opened(config.id), credentials)
  })
}

test('a new entry has every field, and the empty values where nothing was said', async () => {
  const config = await made({ ecosystem: 'gomod' })
  assert.deepEqual(config, {
    id: config.id,
    name: 'Ours',
    url: 'https://r.example.com/a',
    requiresAuth: false,
    ecosystem: 'gomod',
    deploymentId,
    useNetworkBroker: false,
    additionalConfig: {
      maven: { repositoryType: 'MAVEN_REPOSITORY_TYPE_UNSPECIFIED' },
      pypi: {},
      npm: { scope: null },
    },
    registryType: 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH',
  })
  assert.deepEqual(await listed(config.id), { config, credentials: null })
  assert.deepEqual((await gatehouse.call('GET', `${configs}/${config.id}`)).body, { packageManagerConfig: config })
})

const maven = { ecosystem: 'maven', additionalConfig: { maven: { repositoryType: 'MAVEN_REPOSITORY_TYPE_RELEASE' } } }
const snapshot = { maven: { repositoryType: 'MAVEN_REPOSITORY_TYPE_SNAPSHOT' } }

/** What is sent in `config`, and what becomes of it; everything else stays. */
const merges: [string, object, object?][] = [
  ['nothing', {}],
  ['the name', { name: 'Theirs' }],
  ['the path of the url', { url: 'https://R.example.com:443/b' }],
  ['the broker', { useNetworkBroker: true }],
  [
    'what is so already',
    { requiresAuth: true, ecosystem: 'maven', registryType: 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH' },
  ],
  [
    'the repository type',
    { additionalConfig: snapshot },
    { additionalConfig: { ...snapshot, pypi: {}, npm: { scope: null } } },
  ],
  ['empty values of others', { additionalConfig: { pypi: {}, npm: { scope: null } } }, {}],
  ['an empty additional config', { additionalConfig: { maven: {} } }, {}],
]

for (const [what, sent, becomes = sent] of merges) {
  test(`an update of ${what} leaves the rest, and the credentials`, async () => {
    const config = await made(maven, { maven: login })
    const before = await listed(config.id)
    const answer = await update(config.id, { config: sent })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(answer.body.packageManagerConfig, { ...config, ...becomes })
    assert.deepEqual(await listed(config.id), { ...before, config: { ...config, ...becomes } })
  })
}

test('an update without config, with credentials alone, changes these alone', async () => {
  const config = await made(maven, { maven: login })
  const answer = await update(config.id, { maven: { username: 'other', password: 'secret' } })
  assert.deepEqual(answer.body.packageManagerConfig, config)
  assert.deepEqual(await opened(config.id), { maven: { username: 'other', password: 'secret' } })
})

test('what E2 returned can be sent back as it is', async () => {
  const entries = [
    await made({ ecosystem: 'npm', additionalConfig: { npm: { scope: '@acme' } } }, { npm: { token: 'x' } }),
    await made({ ecosystem: 'pypi' }, { pypi: login }),
    await made({ url: '*.example.com', registryType: 'REGISTRY_TYPE_MALWARE_FIREWALL' }),
  ]
  for (const config of entries) {
    const before = await listed(config.id)
    const answer = await update(config.id, { config })
    assert.deepEqual(answer.body, { packageManagerConfig: config })
    assert.deepEqual(await listed(config.id), before)
  }
})

test('credentials come with requiresAuth, and go with it', async () => {
  const { id } = await made({ ecosystem: 'npm' })
  const stored = await update(id, { npm: { token: 'x' } })
  assert.equal(stored.body.packageManagerConfig.requiresAuth, true)
  const dropped = await update(id, { config: { requiresAuth: false } })
  assert.equal(dropped.body.packageManagerConfig.requiresAuth, false)
  assert.equal((await listed(id)).credentials, null)
  const promised = await update(id, { config: { requiresAuth: true } })
  assert.equal(promised.body.packageManagerConfig.requiresAuth, true)
  assert.equal((await listed(id)).credentials, null)
})

test('another ecosystem takes additional config away, and needs credentials that fit', async () => {
  const { id } = await made(maven, { maven: login })
  const alone = await update(id, { config: { ecosystem: 'npm' } })
  assert.deepEqual([alone.status, pointersOf(alone)], [422, [`${at}/config/ecosystem`]])
  const together = await update(id, { config: { ecosystem: 'npm' }, npm: { token: 'x' } })
  assert.equal(together.body.packageManagerConfig.ecosystem, 'npm')
  assert.deepEqual(together.body.packageManagerConfig.additionalConfig.maven, {
    repositoryType: 'MAVEN_REPOSITORY_TYPE_UNSPECIFIED',
  })
  const role = { codeArtifact: { assumeRoleArn: 'arn:aws:iam::123456789012:role/ci' } }
  await update(id, role)
  assert.equal((await update(id, { config: { ecosystem: 'cargo' } })).status, 200)
  assert.deepEqual(await opened(id), role)
})

/** Addresses, for an entry at https://r.example.com/a. */
const moves: [string, boolean][] = [
  ['https://r.example.com', true],
  ['https://r.example.com:443/elsewhere/', true],
  ['HTTPS://R.EXAMPLE.COM/a', true],
  ['http://r.example.com/a', false],
  ['https://r.example.com:8443/a', false],
  ['https://evil.example/r.example.com/a', false],
  ['https://r.example.com.evil.example/a', false],
  ['https://r.example.com./a', false],
]

for (const [url, mayGo] of moves) {
  test(`stored credentials ${mayGo ? 'go' : 'do not go'} along to ${url}`, async () => {
    const { id } = await made({ ecosystem: 'npm' }, { npm: { token: 'ours' } })
    const before = await listed(id)
    const answer = await update(id, { config: { url, name: 'Moved' } })
    if (mayGo) {
      assert.equal(answer.body.packageManagerConfig.url, url)
      assert.deepEqual((await listed(id)).credentials, before.credentials)
      return
    }
    assert.deepEqual([answer.status, pointersOf(answer)], [422, [`${at}/config/url`]])
    assert.deepEqual(await listed(id), before)
    assert.equal((await update(id, { config: { url }, npm: { token: 'theirs' } })).status, 200)
    assert.deepEqual(await opened(id), { npm: { token: 'theirs' } })
  })
}

test('credentials are not taken for an address without encryption, unless the operator named its host', async () => {
  const [plain, named] = ['http://plain.example.com/', 'http://r.example.com/npm/']
  const token = { npm: { token: 'ours' } }
  const sent = await create({ name: 'Plain', url: plain, ecosystem: 'npm' }, token)
  assert.deepEqual([sent.status, pointersOf(sent)], [422, [`${at}/config/url`]])
  assert.match(sent.body.errors[0].detail, /https.*GATEHOUSE_PLAIN_HTTP_HOSTS/)
  const { id } = await made({ url: plain, ecosystem: 'npm' })
  const before = await listed(id)
  const later = await update(id, token)
  assert.deepEqual([later.status, pointersOf(later)], [422, [`${at}/config/url`]])
  assert.deepEqual(await listed(id), before)
  assert.equal((await update(id, { config: { url: named }, ...token })).status, 200)
  assert.equal((await update(id, { config: { url: named, name: 'Renamed' } })).status, 200)
})

test('without credentials, or dropping them, an entry moves freely', async () => {
  const url = 'https://elsewhere.example'
  const bare = await made({ ecosystem: 'npm' })
  assert.equal((await update(bare.id, { config: { url } })).body.packageManagerConfig.url, url)
  const full = await made({ ecosystem: 'npm' }, { npm: { token: 'ours' } })
  assert.equal((await update(full.id, { config: { url, requiresAuth: false } })).status, 200)
  assert.equal((await listed(full.id)).credentials, null)
})

const firewall = { registryType: 'REGISTRY_TYPE_MALWARE_FIREWALL' }
const arn = { assumeRoleArn: 'arn:aws:iam::123456789012:role/ci' }

/** For an npm entry with a token: what is sent, the status, and where it is wrong. */
const refusals: [string, object, number, string[]][] = [
  ['maven for npm', { maven: login }, 422, ['/maven']],
  ['pypi for npm', { pypi: login }, 422, ['/pypi']],
  ['two kinds', { npm: { token: 'x' }, codeArtifact: arn }, 422, ['/codeArtifact']],
  ['token and basicAuth', { npm: { token: 'x', basicAuth: login } }, 422, ['/npm']],
  ['neither', { npm: {} }, 422, ['/npm']],
  ['npm for gem', { config: { ecosystem: 'gem' }, npm: { token: 'x' } }, 422, ['/npm']],
  ['a role for go', { config: { ecosystem: 'gomod' }, codeArtifact: arn }, 422, ['/codeArtifact']],
  ['credentials not wanted', { config: { requiresAuth: false }, npm: { token: 'x' } }, 422, ['/config/requiresAuth']],
  ['half a login', { npm: { basicAuth: { username: 'x' } } }, 400, ['/npm/basicAuth/password']],
  ['an empty token', { npm: { token: '' } }, 400, ['/npm/token']],
  ['a line break', { npm: { token: 'x\r\nX-Evil: 1' } }, 400, ['/npm/token']],
  ['no role', { codeArtifact: { assumeRoleArn: 'admin' } }, 400, ['/codeArtifact/assumeRoleArn']],
  ['a login in the url', { config: { url: 'https://a:b@r.example.com' } }, 422, ['/config/url']],
  ['another scheme', { config: { url: 'file:///etc/passwd' } }, 422, ['/config/url']],
  ['no ecosystem', { config: { ecosystem: '' } }, 422, ['/config/ecosystem']],
  ['an unknown ecosystem', { config: { ecosystem: 'NPM' } }, 400, ['/config/ecosystem']],
  ['an unknown registry type', { config: { registryType: 'X' } }, 400, ['/config/registryType']],
  ['an unknown field', { config: { requireAuth: true } }, 400, ['/config/requireAuth']],
  [
    'a maven repository type',
    { config: { additionalConfig: snapshot } },
    422,
    ['/config/additionalConfig/maven/repositoryType'],
  ],
  [
    'a bad scope',
    { config: { additionalConfig: { npm: { scope: '@a/b' } } } },
    400,
    ['/config/additionalConfig/npm/scope'],
  ],
  ['the firewall', { config: { ...firewall, url: '*.example.com' } }, 422, ['/config/requiresAuth']],
  ['another id', { config: { id: 987_654 } }, 400, ['/config/id']],
  ['another deployment', { config: { deploymentId: 987_654 } }, 400, ['/config/deploymentId']],
]

for (const [what, sent, status, pointers] of refusals) {
  test(`${what}: ${status}, and nothing changes`, async () => {
    const { id } = await made({ ecosystem: 'npm' }, { npm: { token: 'ours' } })
    const before = await listed(id)
    const { etag } = Object.fromEntries((await gatehouse.call('GET', `${configs}/${id}`)).headers)
    const answer = await update(id, sent)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.deepEqual(
      pointersOf(answer),
      pointers.map((pointer) => at + pointer),
    )
    assert.deepEqual(await listed(id), before)
    assert.equal((await gatehouse.call('GET', `${configs}/${id}`)).headers.get('etag'), etag)
  })
}

test('ids beside the config must be those of the path too', async () => {
  const { id } = await made({ ecosystem: 'npm' })
  const sent = { packageManagerConfigForInsert: { config: { id, deploymentId, name: 'Named' } } }
  const call = (more: object) => gatehouse.call('PATCH', `${configs}/${id}`, { body: { ...sent, ...more } })
  assert.equal((await call({ deploymentId: String(deploymentId), packageManagerConfigId: id })).status, 200)
  assert.equal((await call({ deploymentId: deploymentId + 1 })).body.code, 'id_mismatch')
  assert.equal((await call({ packageManagerConfigId: id + 1 })).body.code, 'id_mismatch')
  const both = await call({ deploymentId: deploymentId + 1, packageManagerConfigId: id + 1 })
  assert.deepEqual(pointersOf(both), ['/deploymentId', '/packageManagerConfigId'])
})

test('an entry for the malware firewall has a host pattern, no ecosystem and no credentials', async () => {
  const config = await made({ ...firewall, url: '*.example.com' })
  assert.deepEqual([config.ecosystem, config.requiresAuth, config.url], ['', false, '*.example.com'])
  const wrong: [object, object, string[]][] = [
    [{ url: 'https://a.example' }, {}, ['/config/url']],
    [{ ecosystem: 'npm' }, {}, ['/config/ecosystem']],
    [{ requiresAuth: true }, {}, ['/config/requiresAuth']],
    [{}, { npm: { token: 'x' } }, ['/config/requiresAuth', '/npm']],
  ]
  for (const [more, credentials, pointers] of wrong) {
    const answer = await create({ name: 'Hosts', url: 'a.example', ...firewall, ...more }, credentials)
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    assert.deepEqual(
      pointersOf(answer),
      pointers.map((pointer) => at + pointer),
    )
  }
  const back = await update(config.id, { config: { registryType: 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH' } })
  assert.deepEqual(pointersOf(back), [`${at}/config/ecosystem`, `${at}/config/url`])
})

test('a new entry needs a name, an address and an ecosystem, and gets its id from us', async () => {
  assert.deepEqual(pointersOf(await create({})), [`${at}/config/name`, `${at}/config/url`])
  assert.deepEqual(pointersOf(await create({ name: 'A', url: 'https://a.example' })), [`${at}/config/ecosystem`])
  const own = await create({ id: 7, name: 'A', url: 'https://a.example', ecosystem: 'npm' })
  assert.deepEqual([own.status, pointersOf(own)], [400, [`${at}/config/id`]])
})

test('of 30 updates with one If-Match exactly one wins, whole', async () => {
  const { id } = await made({ ecosystem: 'npm' }, { npm: { token: 'first' } })
  const etag = (await gatehouse.call('GET', `${configs}/${id}`)).headers.get('etag')!
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, number) =>
      update(id, { config: { name: `Name ${number}` }, npm: { token: `token ${number}` } }, { 'if-match': etag }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 412).length, 29)
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.equal((await listed(id)).config.name, `Name ${winner}`)
  assert.deepEqual(await opened(id), { npm: { token: `token ${winner}` } })
})

test('a deleted entry is gone, with its credentials', async () => {
  const config = await made({ ecosystem: 'npm' }, { npm: { token: 'x' } })
  const etag = (await gatehouse.call('GET', `${configs}/${config.id}`)).headers.get('etag')!
  await update(config.id, { config: { name: 'Newer' } })
  const stale = await gatehouse.call('DELETE', `${configs}/${config.id}`, { headers: { 'if-match': etag } })
  assert.equal(stale.status, 412)
  const gone = await gatehouse.call('DELETE', `${configs}/${config.id}`)
  assert.deepEqual(gone.body, { packageManagerConfig: { ...config, name: 'Newer' } })
  assert.equal(await listed(config.id), undefined)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await gatehouse.call(method, `${configs}/${config.id}`)).status, 404)
  }
  assert.equal((await update(config.id, {})).status, 404)
})

test('one Idempotency-Key makes one entry, and its answer is told again', async () => {
  const request = {
    headers: { 'idempotency-key': 'once' },
    body: {
      packageManagerConfigForInsert: {
        config: { name: 'Once', url: 'https://once.example', ecosystem: 'npm' },
        npm: { token: 'x' },
      },
    },
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => gatehouse.call('POST', configs, request)))
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, answers[0]!.body])
  const { body } = await gatehouse.call('GET', configs)
  const found = body.packageManagerConfigsWithCredentials.filter(({ config }: Any) => config.name === 'Once')
  assert.equal(found.length, 1)
})

test('the audit log tells which fields changed and what became of the credentials', async () => {
  const { id } = await made({ ecosystem: 'npm' })
  await update(id, { config: { url: 'https://other.example.com' }, npm: { token: 'x' } })
  await update(id, { config: { name: 'Named', useNetworkBroker: true } })
  await update(id, { config: { requiresAuth: false } })
  const { body } = await gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events?pageSize=4`)
  const told = body.events.map(({ action, target, detail }: Any) => [action.split('.')[1], target, detail])
  const target = `package-manager-config:${id}`
  assert.deepEqual(told.reverse(), [
    ['create', target, { name: 'Ours', fields: ['name', 'url', 'ecosystem'], credentials: 'none' }],
    ['update', target, { name: 'Ours', fields: ['url'], credentials: 'set' }],
    ['update', target, { name: 'Named', fields: ['name', 'useNetworkBroker'], credentials: 'kept' }],
    ['update', target, { name: 'Named', fields: ['requiresAuth'], credentials: 'none' }],
  ])
})

test('a token narrowed to reading lists and changes nothing', async () => {
  const { id } = await made({ ecosystem: 'npm' })
  const as = await gatehouse.makeToken(gatehouse.owner.jwt, deploymentId, { scopes: ['package-managers:read'] })
  assert.equal((await gatehouse.call('GET', configs, { as })).status, 200)
  const change = await gatehouse.call('PATCH', `${configs}/${id}`, { as, body: { packageManagerConfigForInsert: {} } })
  assert.deepEqual([change.status, change.body.code], [403, 'forbidden'])
})
