import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../../test/servers/proxy-gatehouse.ts'
import { certificateFor, withoutOpenssl } from '../../../outbound/test-certificate.ts'
import { type CloudAccountSandbox, startCloudAccount } from '../../../sandbox/cloud-account.ts'
import { startMavenRegistry } from '../../../sandbox/registries/maven-registry.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../../sandbox/registries/npm-registry.ts'
import { startPypiRegistry } from '../../../sandbox/registries/pypi-registry.ts'
import type { RegistryAnswer, RegistryRequest } from '../../../sandbox/registries/registry-server.ts'

const skip = withoutOpenssl
const domain = 'team-111122223333'
const host = `${domain}.d.codeartifact.eu-west-1.amazonaws.com`
const role = 'arn:aws:iam::111122223333:role/reader'
const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const minute = 60_000

let gatehouse: TestGatehouse
let account: CloudAccountSandbox
let proxy: ProxyGatehouse
let elsewhere: NpmRegistrySandbox
let outbound: { ca: string; resolver(): Promise<string[]> }
let entered: { id: number; metadata: string; artifact: string }[]
const open: { close(): Promise<void> }[] = []

before(async () => {
  if (skip) return
  gatehouse = await openGatehouse()
  account = await startCloudAccount()
  account.roles.set(role, { externalId: 'gatehouse-deployment-1', domain })
  const tls = certificateFor(`DNS:${host}`)
  outbound = { ca: tls.cert, resolver: async () => ['127.0.0.1'] }
  const aws = { ...account.addUser('AKIAGATEHOUSE'), endpoint: account.url }
  elsewhere = await startNpmRegistry()
  elsewhere.publish({ name: 'left', version: '6.6.6' })
  proxy = await openProxyGatehouse(
    { upstreams: { npm: elsewhere.url }, egressAllow: '127.0.0.1', outbound, aws },
    gatehouse,
  )
  const [npm, pypi, maven] = await Promise.all([
    startNpmRegistry({ tls }),
    startPypiRegistry({ tls }),
    startMavenRegistry({ tls }),
  ])
  for (const { control } of [npm, pypi, maven]) control.meddle = onlyWithToken
  npm.publish({ name: 'left', version: '1.0.0' })
  const { dist } = npm.packages.get('left')!.versions.get('1.0.0')!
  dist.tarball = String(dist.tarball).replace('127.0.0.1', host)
  pypi.publish({ name: 'left', version: '1.0' })
  maven.publish({ group: 'com.acme', artifact: 'left', version: '1.0' })
  entered = [
    { id: await enter('npm', npm.url), metadata: 'npm/left', artifact: 'npm/left/-/left-1.0.0.tgz' },
    {
      id: await enter('pypi', pypi.indexUrl),
      metadata: 'pypi/simple/left/',
      artifact: 'pypi/simple/left/left-1.0-py3-none-any.whl',
    },
    {
      id: await enter('maven', maven.url),
      metadata: 'maven/com/acme/left/maven-metadata.xml',
      artifact: 'maven/com/acme/left/1.0/left-1.0.jar',
    },
  ]
  open.push(proxy, npm, pypi, maven, elsewhere, account, gatehouse)
})

beforeEach(() => {
  if (skip) return
  later(24 * 60 * minute)
  account.seen.length = 0
  account.control.trouble = undefined
})

after(async () => {
  for (const one of open) await one.close()
})

function later(ms: number): void {
  proxy.clock.ahead += ms
  account.control.aheadMs = proxy.clock.ahead
}

/** As CodeArtifact does: a bearer token from npm, the password of `aws` from the others. */
function onlyWithToken({ path, headers }: RegistryRequest, honest: RegistryAnswer): RegistryAnswer {
  const [scheme, value = ''] = (headers.authorization ?? '').split(' ')
  const [user, password = ''] = Buffer.from(value, 'base64').toString('utf8').split(':')
  const token = scheme === 'Bearer' ? value : user === 'aws' ? password : ''
  const isNpm = /^\/left(\/|$)/.test(path)
  return account.tokens.has(token) && isNpm === (scheme === 'Bearer') ? honest : { status: 401, body: '' }
}

async function enter(ecosystem: string, url: string, assumeRoleArn = role): Promise<number> {
  const config = { name: `Managed ${ecosystem}`, url: url.replace('127.0.0.1', host), ecosystem }
  const body = { packageManagerConfigForInsert: { config, codeArtifact: { assumeRoleArn } } }
  const made = await gatehouse.call('POST', configs, { body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return made.body.packageManagerConfig.id
}

test('npm, pypi and maven are signed in to by a role, once until its token is near its end', { skip }, async () => {
  for (const { metadata, artifact } of entered) {
    account.seen.length = 0
    for (const path of [metadata, artifact, metadata]) {
      later(1_000)
      const answer = await proxy.get(path)
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`)
    }
    assert.deepEqual(
      account.seen.map(({ path }) => path.join('/')),
      ['', 'v1/authorization-token'],
    )
    later(54 * minute)
    assert.equal((await proxy.get(metadata)).status, 200)
    assert.equal(account.seen.length, 2)
    later(2 * minute)
    assert.equal((await proxy.get(metadata)).status, 200)
    assert.equal(account.seen.length, 4)
  }
})

test('a token that still holds is used while no other is to be had, and after that what is known', {
  skip,
}, async () => {
  const [{ metadata } = { metadata: '' }] = entered
  assert.equal((await proxy.get(metadata)).status, 200)
  account.control.trouble = () => ({ status: 503, body: '' })
  later(57 * minute)
  assert.equal((await proxy.get(metadata)).status, 200)
  assert.equal(account.seen.length, 3)
  later(57 * minute)
  assert.equal((await proxy.get(metadata)).status, 200)
  assert.equal((await proxy.get('npm/unknown')).status, 502)
})

const refusals: [what: string, service: string | undefined, says: RegExp][] = [
  ['by STS', 'sts', /does not let us assume the role \(403\).*external id gatehouse-deployment-1/],
  ['by CodeArtifact', 'codeartifact', /no token for its domain \(403\).*sts:GetServiceBearerToken/],
]

for (const [what, service, says] of refusals) {
  test(`refused ${what}: 502 that says why, without the role, and no other registry is asked`, { skip }, async () => {
    const body = `<Message>${role} may not</Message>`
    account.control.trouble = (asked) => (asked === service ? { status: 403, body } : undefined)
    const before = elsewhere.seen.length
    for (const at of [1, 2, 3]) {
      const answer = await proxy.get(`npm/${service}-${at}`)
      assert.equal(answer.status, 502)
      const { error } = await answer.json()
      assert.match(error, says)
      assert.ok(!error.includes(role))
    }
    // Asked once, and not again at once.
    assert.equal(account.seen.filter(({ path }) => path.length === 0).length, 1)
    assert.equal(elsewhere.seen.length, before)
  })
}

test("the role of another deployment's trust policy cannot be assumed from here", { skip }, async () => {
  const foreign = 'arn:aws:iam::111122223333:role/foreign'
  account.roles.set(foreign, { externalId: 'gatehouse-deployment-2', domain })
  const id = await enter('npm', 'https://127.0.0.1:1/', foreign)
  await gatehouse.call('DELETE', `${configs}/${entered[0]!.id}`)
  later(minute)
  const answer = await proxy.get('npm/anything')
  assert.equal(answer.status, 502)
  assert.match((await answer.json()).error, /does not let us assume the role/)
  await gatehouse.call('DELETE', `${configs}/${id}`)
})

test('without an identity, or at another address: 502 that names what is missing', { skip }, async () => {
  const bare = await openProxyGatehouse(
    { upstreams: { npm: elsewhere.url }, egressAllow: '127.0.0.1', outbound },
    gatehouse,
  )
  const before = elsewhere.seen.length
  const answer = await bare.get('pypi/simple/left/')
  assert.equal(answer.status, 502)
  assert.match(
    (await answer.json()).error,
    /GATEHOUSE_AWS_ACCESS_KEY_ID and GATEHOUSE_AWS_SECRET_ACCESS_KEY are not set/,
  )
  await bare.close()

  const config = { name: 'Other', url: elsewhere.url, ecosystem: 'npm' }
  const body = { packageManagerConfigForInsert: { config, codeArtifact: { assumeRoleArn: role } } }
  await gatehouse.call('POST', configs, { body })
  later(minute)
  const other = await proxy.get('npm/unseen')
  assert.equal(other.status, 502)
  assert.match((await other.json()).error, /'Other' .* address is not of the form/)
  assert.equal(elsewhere.seen.length, before)
  assert.equal(account.seen.length, 0)
})
