import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { root } from '../../../test/servers/real-process.ts'
import { signInByDevice } from './device-client.ts'
import { isFor, readLogin, writeLogin } from './stored-login.ts'

let gatehouse: TestGatehouse
let home: string
before(async () => {
  gatehouse = await openGatehouse()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-login-'))
})
after(async () => {
  await gatehouse.close()
  rmSync(home, { recursive: true, force: true })
})

const env = () => ({ HOME: home, XDG_CONFIG_HOME: '' })
const decide = (verb: string, body: object) =>
  gatehouse.call('POST', `/api/tokens/v1/deployments/1/device-sign-ins/${verb}`, { as: gatehouse.owner.jwt, body })
const asked = () => ({ url: new URL(gatehouse.url), deployment: 1, scopes: ['packages:read'], days: 3, hostName: 'h' })

/** `gatehouse login`, and the code it shows handed to whoever sits before a browser. */
async function login(browser: (code: string, said: string) => Promise<unknown>, more: string[] = []) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `${root}/src/main.ts`, 'login', ...more],
    {
      env: { PATH: process.env.PATH, ...env(), GATEHOUSE_URL: gatehouse.url },
    },
  )
  const stdout = text(child.stdout)
  const ended = once(child, 'close')
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const code = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', () => {
      const shown = /^ {4}([A-Z]{4}-[A-Z]{4})$/m.exec(said)?.[1]
      if (shown) resolve(shown)
    })
    ended.then(() => reject(new Error(said)))
  })
  await browser(code, said)
  const [exit] = await ended
  return { exit, stdout: await stdout, said }
}

test('login keeps a token for this person alone, commands use it, logout revokes it', async () => {
  const approved = await login(async (userCode, said) => {
    assert.match(said, /Open \S+\/device\?deployment=1\n/)
    assert.ok(!new RegExp(`http\\S*${userCode}`).test(said), 'the code is in no address')
    const { signIn } = (await decide('find', { userCode })).body
    assert.equal(signIn.client, 'gatehouse')
    const scopes = signIn.scopes
    assert.equal((await decide('approve', { userCode, scopes, expiresInDays: 2 })).status, 200)
  })
  assert.equal(approved.exit, 0, approved.said)
  assert.match(approved.stdout, /^Signed in to http:\S+ until [-0-9]+, for: .*packages:read/)
  const file = join(home, '.config', 'gatehouse', 'login.json')
  assert.deepEqual([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777], [0o600, 0o700])
  const { token } = JSON.parse(readFileSync(file, 'utf8'))
  // Neither the address nor a token is given: both come from the sign-in.
  const asked = await runCommand(['firewall', 'check', 'left-pad@1.0.0', '--json'], { env: env() })
  assert.ok(JSON.parse(asked.stdout).decision, asked.stdout + asked.stderr)
  const out = await runCommand(['logout', '--json'], { env: env() })
  assert.deepEqual([out.code, JSON.parse(out.stdout)], [0, { signedOut: true }])
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined)
  const deadline = performance.now() + 5_000
  const works = async () => (await gatehouse.call('GET', '/api/tokens/v1/self', { as: token })).status === 200
  while ((await works()) && performance.now() < deadline);
  assert.equal(await works(), false)
  assert.match((await runCommand(['logout'], { env: env() })).stdout, /^Nobody is signed in here/)
})

test('a program that polled too fast slows down, and a denial is told', async () => {
  const waits: number[] = []
  let code = ''
  const wait = async (seconds: number) => {
    waits.push(seconds)
    if (waits.length === 3) await decide('deny', { userCode: code })
  }
  const signingIn = signInByDevice(asked(), { show: (shown) => (code = shown), wait })
  await assert.rejects(signingIn, { message: 'The sign-in was denied in the browser.', exitCode: 1 })
  assert.deepEqual(waits, [5, 5, 10])
})

test('a server that does not know the deployment says so', async () => {
  const signingIn = signInByDevice({ ...asked(), deployment: 987 }, { show: () => assert.fail() })
  await assert.rejects(signingIn, { message: 'Gatehouse answered 404: No deployment 987.' })
})

test('a token that others can read is not used', () => {
  const file = writeLogin(env(), { url: 'https://g.example/', deployment: 1, token: 'gth_x', expiresAt: '2030-01-01' })
  assert.equal(readLogin(env())?.token, 'gth_x')
  chmodSync(file, 0o640)
  assert.throws(() => readLogin(env()), /^CommandProblem: Others can read .* chmod 600/)
  chmodSync(file, 0o600)
  writeFileSync(file, '{"url": 7}')
  assert.throws(() => readLogin(env()), /cannot be read\. Sign in again/)
  rmSync(file)
  assert.equal(readLogin(env()), undefined)
})

test('a token goes to the server and the deployment that gave it, and to no other', () => {
  const login = { url: 'https://g.example/g/', deployment: 1, token: 'gth_x', expiresAt: '' }
  const cases: [string, number, boolean][] = [
    ['https://g.example/g/', 1, true],
    ['https://g.example/g/', 2, false],
    ['https://g.example/', 1, false],
    ['http://g.example/g/', 1, false],
    ['https://evil.example/g/', 1, false],
  ]
  for (const [url, deployment, expected] of cases) assert.equal(isFor(login, new URL(url), deployment), expected, url)
})
