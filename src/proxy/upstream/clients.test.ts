import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { apart, artifactHostsOf } from './default-upstream.ts'
import { createDefaults } from './defaults.ts'
import { mirrorIn } from './maven-client.ts'
import { indexIn } from './pip-client.ts'

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

test('clients of this machine give their address and keep what they sign in with', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-home-'))
  const npmrc = join(home, '.npmrc')
  const index = 'https://user:secret@pypi.example/simple'
  const given: Record<string, string> = { HOME: home, PIP_INDEX_URL: index, NPM_CONFIG_USERCONFIG: npmrc }
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
  const defaults = createDefaults({ npm: undefined, pypi: undefined, maven: undefined })
  for (const ecosystem of ['npm', 'pypi', 'maven'] as const) {
    const found = await defaults.get(ecosystem)
    assert.equal(found.authorization, undefined, ecosystem)
    assert.doesNotMatch(JSON.stringify(found), /secret/)
  }
  assert.equal((await defaults.get('maven')).url, 'https://maven.example/all/')
})

test('a login in the settings is used, since the operator entered it for this', async () => {
  const defaults = createDefaults({ npm: 'https://u:p@npm.example/', pypi: undefined, maven: undefined })
  assert.equal((await defaults.get('npm')).authorization, basic('u:p'))
})

test('a login in an address is taken out of it', () => {
  assert.deepEqual(apart('https://u:p%40q@pypi.example/simple?x#y'), {
    url: 'https://pypi.example/simple/',
    authorization: basic('u:p@q'),
  })
})

test('only the public Python index has its files elsewhere', () => {
  assert.deepEqual(artifactHostsOf('https://pypi.org/simple/'), ['files.pythonhosted.org'])
  assert.deepEqual(artifactHostsOf('https://pypi.org.example/simple/'), [])
})
