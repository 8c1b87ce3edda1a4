import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { noUpstreams } from '../../../test/servers/proxy-gatehouse.ts'
import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { replacementIn } from './clients/cargo-client.ts'
import { proxyIn } from './clients/go-client.ts'
import { mirrorIn } from './clients/maven-client.ts'
import { indexIn } from './clients/pip-client.ts'
import { apart, artifactHostsOf } from './default-upstream.ts'
import { createDefaults } from './defaults.ts'

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`

const listings: [what: string, listing: string, index: string | undefined][] = [
  ['its own file', "global.index-url='https://pypi.example/simple'", 'https://pypi.example/simple'],
  [
    'the environment first',
    ":env:.index-url='https://env.example/'\nglobal.index-url='https://x.example/'",
    'https://env.example/',
  ],
  ['more indexes are not it', "global.extra-index-url='https://x.example/'", undefined],
  ['a folder is none', "global.index-url='file:///opt/simple'", undefined],
  ['nothing', '', undefined],
]

for (const [what, listing, index] of listings) test(`pip: ${what}`, () => assert.equal(indexIn(listing), index))

const mirror = (of: string, url = 'https://maven.example/all') =>
  `<settings><servers><server><id>m</id><username>u</username><password>\${env.SECRET}</password></server></servers>
   <mirrors><mirror><id>m</id><mirrorOf>${of}</mirrorOf><url>${url}</url></mirror></mirrors></settings>`

const settings: [what: string, xml: string, url: string | undefined][] = [
  ['for everything', mirror('*'), 'https://maven.example/all'],
  ['for central', mirror('central'), 'https://maven.example/all'],
  ['for what is outside', mirror('external:*,!own'), 'https://maven.example/all'],
  ['not for central', mirror('*,!central'), undefined],
  ['for something else', mirror('own'), undefined],
  ['in a folder', mirror('*', 'file:///opt/maven'), undefined],
  ['nothing', '<settings/>', undefined],
  ['no XML', 'settings', undefined],
]

for (const [what, xml, url] of settings) {
  test(`Maven: a mirror ${what}`, () => {
    assert.equal(mirrorIn(xml, {}), url)
  })
}

const replaced = (index: string) =>
  `[source.crates-io]\nreplace-with = "own"\n[source.own]\nreplace-with = "mine"\n[registries.mine]\nindex = "${index}"\n`

const configs: [what: string, toml: string, url: string | undefined][] = [
  ['a registry in place of crates.io', replaced('sparse+https://c.example/i/'), 'https://c.example/i/'],
  [
    'a source',
    '[source.crates-io]\nreplace-with="x"\n[source.x]\nregistry="sparse+https://c.example/"',
    'https://c.example/',
  ],
  ['a git index, which is not asked', replaced('https://c.example/index'), undefined],
  ['a folder', '[source.crates-io]\nreplace-with="x"\n[source.x]\ndirectory="vendor"', undefined],
  ['a circle', '[source.crates-io]\nreplace-with="crates-io"', undefined],
  ['nothing', '', undefined],
  ['no TOML', '<x>', undefined],
]
for (const [what, toml, url] of configs) test(`Cargo: ${what}`, () => assert.equal(replacementIn(toml), url))

const proxies: [setting: string, url: string | undefined][] = [
  ['https://proxy.golang.org,direct', 'https://proxy.golang.org'],
  ['off', undefined],
  ['file:///mods|https://go.example', 'https://go.example'],
  ['direct', undefined],
]
for (const [setting, url] of proxies) test(`Go: ${setting}`, () => assert.equal(proxyIn(setting), url))

test('clients of this machine give their address and keep what they sign in with', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-home-'))
  const npmrc = join(home, '.npmrc')
  const index = 'https://user:secret@pypi.example/simple'
  const given: Record<string, string> = {
    HOME: home,
    PIP_INDEX_URL: index,
    NPM_CONFIG_USERCONFIG: npmrc,
    CARGO_HOME: '',
  }
  given.GOPROXY = 'https://u:secret@go.example/a,direct'
  const before = { ...process.env }
  t.after(() => {
    for (const name of Object.keys(given)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
    rmSync(home, { recursive: true, force: true })
  })
  writeFileSync(npmrc, 'registry=https://u:secret@npm.example/a/\n//npm.example/a/:_authToken=secret\n')
  mkdirSync(join(home, '.m2'))
  writeFileSync(join(home, '.m2', 'settings.xml'), mirror('*', 'https://u:secret@maven.example/all'))
  Object.assign(process.env, given)
  mkdirSync(join(home, '.cargo'))
  writeFileSync(join(home, '.cargo', 'config.toml'), replaced('sparse+https://u:secret@cargo.example/index'))
  const defaults = createDefaults(noUpstreams)
  for (const ecosystem of proxiedEcosystemIds) {
    const found = await defaults.get(ecosystem)
    assert.equal(found.authorization, undefined, ecosystem)
    assert.doesNotMatch(JSON.stringify(found), /secret/)
  }
  assert.equal((await defaults.get('maven')).url, 'https://maven.example/all/')
  assert.equal((await defaults.get('cargo')).url, 'https://cargo.example/index/')
  assert.equal((await defaults.get('gomod')).url, 'https://go.example/a/')
})

test('a login in the settings is used, since the operator entered it for this', async () => {
  const defaults = createDefaults({ ...noUpstreams, npm: 'https://u:p@npm.example/' })
  assert.equal((await defaults.get('npm')).authorization, basic('u:p'))
})

test('a login in an address is taken out of it', () => {
  assert.deepEqual(apart('https://u:p%40q@pypi.example/simple?x#y'), {
    url: 'https://pypi.example/simple/',
    authorization: basic('u:p@q'),
  })
})

test('only public registries have their files elsewhere', () => {
  assert.ok(artifactHostsOf('https://index.crates.io/').includes('static.crates.io'))
  assert.deepEqual(artifactHostsOf('https://pypi.org/simple/'), ['files.pythonhosted.org'])
  assert.deepEqual(artifactHostsOf('https://pypi.org.example/simple/'), [])
})
