import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apart, artifactHostsOf } from './default-upstream.ts'
import { mirrorIn } from './maven-client.ts'
import { authorizationIn } from './npm-client.ts'
import { indexIn } from './pip-client.ts'

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`

const npmrcs: [what: string, npmrc: string, authorization: string | undefined][] = [
  ['a token for the host', '//npm.example/:_authToken=t', 'Bearer t'],
  ['a token for the very path', '//npm.example/a/b/:_authToken=t', 'Bearer t'],
  ['a token without the last slash', '//npm.example/a/b:_authToken=t', 'Bearer t'],
  ['the longest path counts', '//npm.example/:_authToken=short\n//npm.example/a/:_authToken=long', 'Bearer long'],
  ['a token from the environment', '//npm.example/:_authToken=${TOKEN}', 'Bearer from-env'],
  ['a login', `//npm.example/:_auth=${Buffer.from('u:p').toString('base64')}`, basic('u:p')],
  [
    'a name and a password',
    `//npm.example/:username=u\n//npm.example/:_password=${Buffer.from('p').toString('base64')}`,
    basic('u:p'),
  ],
  ['a token of another host', '//other.example/:_authToken=t', undefined],
  ['a token of another port', '//npm.example:8080/:_authToken=t', undefined],
  ['a token of another path', '//npm.example/a/c/:_authToken=t', undefined],
  ['a token for no host', '_authToken=t', undefined],
  ['a comment', ';//npm.example/:_authToken=t', undefined],
]

for (const [what, npmrc, authorization] of npmrcs) {
  test(`npm: ${what}`, () => {
    assert.equal(authorizationIn(npmrc, 'https://npm.example/a/b/', { TOKEN: 'from-env' }), authorization)
  })
}

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
    const found = mirrorIn(xml, { SECRET: 's' })
    assert.equal(found?.url, url)
    if (found) assert.equal(found.login, 'u:s')
  })
}

test('a password that Maven encrypted is not sent', () => {
  assert.equal(mirrorIn(mirror('*').replace('${env.SECRET}', '{abc=}'), {})?.login, undefined)
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
