import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { runningConnection } from '../src/postgres/process/running.ts'
import { deepOnly } from './depth.ts'
import { caller } from './gatehouse.ts'
import { dataFolder, poll, serveCommand, startProcess, startServer, welcomeIn } from './servers/real-process.ts'

const fileIn = (folder: string) => join(folder, 'first-sign-in.txt')

/** Whether what was told opens the gatehouse: the sign-in and the token. A start that was killed may have used up an id. */
async function opens(url: string, { email, password, token }: Record<string, unknown>): Promise<number[]> {
  const call = caller(url, String(token))
  const signIn = await call('POST', '/api/auth/login', { as: '', body: { email, password } })
  const { deployments } = (await call('GET', '/api/deployments/v1/deployments')).body
  const boards = `/api/agent/deployments/${deployments[0].id}/ruleboards`
  const answers = [signIn, await call('GET', boards), await call('GET', boards, { as: signIn.body.accessToken })]
  return answers.map(({ status }) => status)
}

/** With a terminal of its own for what it prints, as `script` of util-linux gives it. */
function onTerminal(command: string[]): string[] {
  return [
    'script',
    '--quiet',
    '--flush',
    '--return',
    '--command',
    command.map((part) => `'${part}'`).join(' '),
    '/dev/null',
  ]
}

test('on a terminal the first start shows a sign-in, a token and a line that works as it stands', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t) }
  const first = startProcess(env, onTerminal(serveCommand()))
  const output = () => first.output().replaceAll('\r', '')
  await poll('it has printed an example', () => /\n {2}curl .*\n/.test(output()))
  const said = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output())?.[1]
  const url = /Gatehouse is at (\S+)/.exec(output())![1]!
  const shown = { email: said('Sign-in'), password: said('Password'), token: said('API token'), deploymentId: 1 }
  assert.deepEqual(await opens(url, shown), [200, 200, 200])
  assert.deepEqual(welcomeIn(fileIn(env.GATEHOUSE_DATA)), shown)
  const line = /^ {2}(curl .*)$/m.exec(output())![1]!
  const answered = JSON.parse(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }))
  assert.equal(answered.ruleboards.length, 2)
})

test('in a log there is neither password nor token, only where they are: in a file of the owner alone', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_LOG_LEVEL: 'trace' }
  const file = fileIn(env.GATEHOUSE_DATA)
  for (const [at, args] of [[], ['--json']].entries()) {
    const started = startProcess(env, serveCommand(args))
    await poll('it has printed where the file is', () => started.output().includes(file))
    const { email, password, token } = welcomeIn(file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.output())![0]
    assert.deepEqual(await opens(url, { email, password, token }), [200, 200, 200])
    if (at === 1) {
      const call = caller(url, token!)
      const as = (await call('POST', '/api/auth/login', { as: '', body: { email, password } })).body.accessToken
      const body = { current: password, next: 'chosen by the owner' }
      assert.equal((await call('POST', '/api/people/v1/self/password', { as, body })).status, 200)
      assert.ok(!existsSync(file), 'it goes when the password is changed')
    }
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
    const everything = started.output() + started.log()
    assert.ok(!everything.includes(password!) && !everything.includes(token!))
  }
  const last = startProcess(env, serveCommand())
  await poll('it has printed its address', () => last.output().includes('\n'))
  last.child.kill('SIGTERM')
  assert.equal(await last.ended, 0)
  assert.match(last.output(), /^Gatehouse is at http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('killed before the first sign-in is whole, the next start makes it so', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t) }
  const file = fileIn(env.GATEHOUSE_DATA)
  const killed = startProcess(env)
  await poll('it makes the owner', () => existsSync(file))
  killed.child.kill('SIGKILL')
  await killed.ended

  const next = await startServer(env)
  assert.deepEqual(await opens(next.url, next.welcome), [200, 200, 200])
  const { body } = await next.call('GET', '/api/deployments/v1/deployments')
  assert.deepEqual(body.deployments.length, 1)
  next.child.kill('SIGKILL')
  await next.ended

  // As if it had been killed between the making of owner and deployment and the making of the token.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^ +API token.*\n/m, ''))
  const last = await startServer(env)
  assert.equal(last.welcome.password, next.welcome.password)
  assert.notEqual(last.welcome.token, next.welcome.token)
  assert.deepEqual(await opens(last.url, last.welcome), [200, 200, 200])
})

test('with the fewest connections that a process may have, it starts on an empty database, and people sign in and upload', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_DATABASE_CONNECTIONS: '8' }
  const { url, welcome, call } = await startServer(env)
  assert.deepEqual(await opens(url, welcome), [200, 200, 200])
  const path = '/api/scans/v1/deployments/1/scans/raw?repository=a/b&ref=main&path=package-lock.json'
  const lock = { name: 'b', lockfileVersion: 3, packages: { '': { name: 'b' } } }
  const headers = { 'content-type': 'application/octet-stream' }
  const uploads = [1, 2, 3, 4].map(() => call('POST', path, { body: JSON.stringify(lock), headers }))
  assert.deepEqual(
    (await Promise.all(uploads)).map(({ status }) => status),
    [200, 200, 200, 200],
  )
})

const skip = deepOnly('another database is set up for it')

test('its own PostgreSQL has room for as many connections as the process may take, and for commands beside it', {
  skip,
}, async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_DATABASE_CONNECTIONS: '150' }
  await startServer(env)
  const client = new pg.Client(runningConnection(env.GATEHOUSE_DATA))
  await client.connect()
  const { rows } = await client.query('show max_connections')
  await client.end()
  assert.ok(Number(rows[0].max_connections) > 170)
})
