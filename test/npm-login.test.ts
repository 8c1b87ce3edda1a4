import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { clientFromNpm, makeProject, runClient } from './clients/package-clients.ts'
import { openGatehouse, type Tester, type TestGatehouse } from './gatehouse.ts'
import { factorKit } from './servers/factor-gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let gatehouse: TestGatehouse
let upstream: NpmRegistrySandbox
let proxy: ProxyGatehouse
let person: Tester
before(async () => {
  gatehouse = await openGatehouse()
  upstream = await startNpmRegistry()
  upstream.publish({ name: 'left', version: '1.0.0' })
  proxy = await openProxyGatehouse({ upstreams: { npm: upstream.url } }, gatehouse)
  person = await gatehouse.addPerson('member')
})
after(async () => {
  await proxy.close()
  await upstream.close()
  await gatehouse.close()
})

const registry = () => `${gatehouse.url}/firewall/1/npm/`
const self = (as: string) => gatehouse.call('GET', '/api/tokens/v1/self', { as })
const decide = (verb: string, body: object, as = person.jwt) =>
  gatehouse.call('POST', `/api/tokens/v1/deployments/1/device-sign-ins/${verb}`, { as, body })
const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  gatehouse.call(method, `/firewall/1/npm/-/${path}`, { as: '', ...(body && { body }), headers })

/** A client that asks questions: answers come when it has asked. */
async function talk(folder: string, args: string[], answers: [question: RegExp, answer: (said: string) => unknown][]) {
  const home = join(folder, '.home')
  mkdirSync(home, { recursive: true })
  const child = spawn('npm', args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, CI: '' },
    timeout: 60_000,
  })
  let said = ''
  const hear = async (chunk: Buffer) => {
    said += chunk
    const [next] = answers
    if (!next?.[0].test(said)) return
    answers.shift()
    const answer = await next[1](said)
    if (typeof answer === 'string') child.stdin.write(`${answer}\n`)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = await once(child, 'close')
  return { code, said }
}

function project(): string {
  return makeProject({
    'package.json': '{"name": "project", "version": "1.0.0"}',
    '.npmrc': `registry=${registry()}\n`,
  })
}

function tokenIn(folder: string): string {
  const token = /:_authToken="?(gth_[0-9A-Za-z]+)/.exec(readFileSync(join(folder, '.home/.npmrc'), 'utf8'))?.[1]
  assert.ok(token, 'npm keeps a token')
  return token
}

async function mayOnlyFetch(token: string): Promise<void> {
  const { body } = await self(token)
  assert.deepEqual([body.personId, body.deployments[0].permissions], [person.id, ['packages:read']])
  assert.equal((await proxy.get('npm/left', { as: token })).status, 200)
}

async function isRevoked(token: string): Promise<boolean> {
  const deadline = performance.now() + 5_000
  while ((await self(token)).status === 200) if (performance.now() > deadline) return false
  return true
}

test('npm login in the browser, whoami and logout', async () => {
  const folder = project()
  const login = await talk(
    folder,
    ['login', '--auth-type=web', '--browser=false'],
    [
      [
        /http\S+\/device\S+/,
        async (said) => {
          const link = /http\S+\/device\S+/.exec(said)![0]
          const userCode = new URL(link).searchParams.get('link')!
          const { signIn } = (await decide('find', { userCode })).body
          assert.deepEqual([signIn.kind, signIn.scopes, signIn.sameNetwork], ['link', ['packages:read'], true])
          assert.match(signIn.client, /^npm\/\d/)
          const { status } = await decide('approve', { userCode, scopes: ['packages:read'], expiresInDays: 7 })
          assert.equal(status, 200)
        },
      ],
    ],
  )
  assert.equal(login.code, 0, login.said)
  const token = tokenIn(folder)
  await mayOnlyFetch(token)
  assert.match((await runClient('npm', ['whoami'], { folder })).output, new RegExp(RegExp.escape(person.email)))
  const logout = await runClient('npm', ['logout'], { folder })
  assert.equal(logout.code, 0, logout.output)
  assert.ok(await isRevoked(token))
  rmSync(folder, { recursive: true, force: true })
})

for (const [name, secret] of [
  ['the password', () => person.password],
  ['an API token in its place', () => person.token],
] as const) {
  test(`npm login by ${name}`, async () => {
    const folder = project()
    const login = await talk(
      folder,
      ['login', '--auth-type=legacy'],
      [
        [/Username:/i, () => person.email.replace('@', '~')],
        [/Password:/i, secret],
      ],
    )
    assert.equal(login.code, 0, login.said)
    await mayOnlyFetch(tokenIn(folder))
    rmSync(folder, { recursive: true, force: true })
  })
}

test('npm login with a wrong password says why, and keeps nothing', async () => {
  const folder = project()
  const login = await talk(
    folder,
    ['login', '--auth-type=legacy'],
    [
      [/Username:/i, () => person.email.replace('@', '~')],
      [/Password:/i, () => 'not the password'],
    ],
  )
  assert.notEqual(login.code, 0)
  assert.match(login.said, /Incorrect or missing password/)
  assert.throws(() => tokenIn(folder))
  rmSync(folder, { recursive: true, force: true })
})

test('yarn npm login, with the lines as printed, and what it is for', async (t) => {
  const yarn = await clientFromNpm('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js')
  if (!yarn) return t.skip('yarn 4 cannot be installed: the npm registry is out of reach')
  const settings = `${linesFor('yarn', gatehouse.url, 1).text}\nenableTelemetry: false\n`
  const folder = makeProject({ 'package.json': '{"name": "project", "version": "1.0.0"}', '.yarnrc.yml': settings })
  const run = (args: string[], env = {}) => runClient(process.execPath, [yarn, ...args], { folder, env })
  // What yarn itself has for those who cannot type.
  const env = { YARN_IS_TEST_ENV: '1', YARN_INJECT_NPM_USER: person.email, YARN_INJECT_NPM_PASSWORD: person.password }
  const { code, output } = await run(printedLogin(), env)
  assert.equal(code, 0, output)
  const kept = readFileSync(join(folder, '.home/.yarnrc.yml'), 'utf8')
  await mayOnlyFetch(/npmAuthToken: "?(gth_[0-9A-Za-z]+)/.exec(kept)![1]!)
  assert.match((await run(['npm', 'whoami'])).output, new RegExp(RegExp.escape(person.email)))
  // What fetches here is another process on the same database.
  for (const file of ['.home/.yarnrc.yml', '.yarnrc.yml'])
    writeFileSync(
      join(folder, file),
      readFileSync(join(folder, file), 'utf8').replaceAll(new URL(gatehouse.url).host, new URL(proxy.url).host),
    )
  const added = await run(['add', 'left'])
  assert.equal(added.code, 0, added.output)
  rmSync(folder, { recursive: true, force: true })
})

/** Of the command that the page names for yarn, what follows `yarn`. */
function printedLogin(): string[] {
  const page = readFileSync(new URL('../docs/signing-in-programs.md', import.meta.url), 'utf8')
  return /`yarn (npm login[^`]*)`/.exec(page)![1]!.split(' ')
}

test('a link gives packages and nothing else, once', async () => {
  const { loginUrl, doneUrl } = (await ask('POST', 'v1/login', {})).body
  const userCode = new URL(loginUrl).searchParams.get('link')!
  const more = await decide('approve', { userCode, scopes: ['packages:read', 'scans:write'], expiresInDays: 1 })
  assert.deepEqual([more.status, more.body.detail], [422, 'The program did not ask for: scans:write.'])
  const done = doneUrl.slice(gatehouse.url.length)
  const pending = await gatehouse.call('GET', done, { as: '' })
  assert.deepEqual([pending.status, pending.headers.get('retry-after')], [202, '5'])
  await decide('approve', { userCode, scopes: ['packages:read'], expiresInDays: 1 })
  await mayOnlyFetch((await gatehouse.call('GET', done, { as: '' })).body.token)
  const again = await gatehouse.call('GET', done, { as: '' })
  assert.deepEqual([again.status, again.body.error], [400, 'This sign-in has ended. Begin again.'])
})

test('a client ends its own token and no other, and no answer repeats it', async () => {
  const other = await gatehouse.makeToken(person.jwt, 1)
  const own = await gatehouse.makeToken(person.jwt, 1)
  const headers = { authorization: `Bearer ${own}` }
  const refused = await ask('DELETE', `user/token/${other}`, undefined, headers)
  assert.equal(refused.status, 403)
  assert.ok(!JSON.stringify(refused.body).includes(other))
  assert.equal((await self(other)).status, 200)
  assert.equal((await ask('DELETE', `user/token/${own}`)).status, 401)
})

test('what is not a login is refused', async () => {
  const user = 'user/org.couchdb.user:ada'
  assert.equal((await ask('PUT', user, { name: 'ada' })).status, 400)
  assert.equal((await ask('PUT', user, { name: 'ada', password: 7 })).status, 400)
  assert.equal((await ask('PUT', user, { name: 'ada', password: 'gth_nothing' })).status, 401)
  assert.equal((await ask('PUT', user, { name: 'ada\0', password: 'correct horse battery' })).status, 400)
  assert.equal((await ask('GET', 'v1/done?session=x')).status, 400)
  assert.equal((await ask('GET', 'v1/done?session=%00')).status, 400)
  assert.equal((await ask('GET', 'v1/done')).status, 400)
  assert.equal((await gatehouse.call('POST', '/firewall/98765/npm/-/v1/login', { as: '', body: {} })).status, 404)
})

test('a token makes no other by npm login that does more than itself', async () => {
  const answer = async (wanted: object) => {
    const password = await gatehouse.makeToken(person.jwt, 1, wanted)
    const { status, body } = await ask('PUT', 'user/org.couchdb.user:ada', { name: 'ada', password })
    return [status, body.error]
  }
  const webApi = false
  assert.deepEqual(await answer({ webApi }), [403, 'This token was made without Web API access.'])
  assert.deepEqual(await answer({ scopes: ['tokens:write'] }), [
    403,
    'You can only give permissions that you have; you lack: packages:read.',
  ])
  assert.equal((await answer({ scopes: ['packages:read'] }))[0], 201)
})

test('the session that a password opened for it is over when the client has its token', async () => {
  const fresh = await gatehouse.addPerson('member')
  const sessions = async () => {
    const jwt = await gatehouse.signIn(fresh.email, fresh.password)
    return (await gatehouse.call('GET', '/api/auth/sessions', { as: jwt })).body.sessions.length
  }
  const before = await sessions()
  const answer = await ask('PUT', 'user/x', { name: fresh.email, password: fresh.password })
  assert.equal(answer.status, 201)
  assert.equal(await sessions(), before + 1)
})

test('who has to set up a second factor first gets neither a token nor a session', async () => {
  const elsewhere = await gatehouse.addDeployment()
  const path = `/api/deployments/v1/deployments/${elsewhere.id}`
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const fresh = await gatehouse.addPerson('member', elsewhere)
  const answer = await gatehouse.call('PATCH', path, { as, body: { secondFactor: 'everyone' } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const login = { as: '', body: { name: fresh.email, password: fresh.password } }
  const refused = await gatehouse.call('PUT', `/firewall/${elsewhere.id}/npm/-/user/x`, login)
  assert.equal(refused.status, 403, JSON.stringify(refused.body))
  // Nobody requires it of them any more. A token says so: the owner who required it would need a second factor by now.
  const people = `/api/people/v1/deployments/${elsewhere.id}/people`
  assert.equal((await gatehouse.call('DELETE', `${people}/${fresh.id}`, { as: elsewhere.as })).status, 200)
  const jwt = await gatehouse.signIn(fresh.email, fresh.password)
  const { sessions } = (await gatehouse.call('GET', '/api/auth/sessions', { as: jwt })).body
  // The one that made the person, and this one.
  assert.equal(sessions.length, 2)
})

test('who has a second factor is asked for its code, as npm asks for it', async () => {
  const fresh = await gatehouse.addPerson('member')
  const app = await factorKit(gatehouse, { now: () => new Date(), later: () => {} }).setUpApp(fresh.jwt)
  const given = { name: fresh.email, password: fresh.password }
  const asked = await ask('PUT', 'user/x', given)
  assert.deepEqual([asked.status, asked.headers.get('www-authenticate')], [401, 'OTP'])
  assert.equal((await ask('PUT', 'user/x', given, { 'npm-otp': '000000' })).status, 401)
  assert.equal((await ask('PUT', 'user/x', given, { 'npm-otp': app.codes[0]! })).status, 201)
})
