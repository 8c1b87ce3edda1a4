import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { caller } from './house.ts'
import { dataFolder, poll, serveCommand, startProcess, startServer } from './real-process.ts'

const kept = (folder: string) => join(folder, 'first-sign-in.json')

/** Whether what was printed opens the house: the sign-in and the token. */
async function opens(
  url: string,
  { email, password, token, deploymentId }: Record<string, unknown>,
): Promise<number[]> {
  const call = caller(url, String(token))
  const signIn = await call('POST', '/api/auth/login', { as: '', body: { email, password } })
  const boards = `/api/agent/deployments/${deploymentId}/ruleboards`
  const answers = [signIn, await call('GET', boards), await call('GET', boards, { as: signIn.body.accessToken })]
  return answers.map(({ status }) => status)
}

test('the first start prints a sign-in, a token and a line that works as it stands; the second does not', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t) }
  const first = startProcess(env, serveCommand())
  await poll('it has printed an example', () => /\n {2}curl .*\n/.test(first.output()))
  const said = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(first.output())?.[1]
  const url = /Gatehouse is at (\S+)/.exec(first.output())![1]!
  const [email, password, token] = [said('Sign-in'), said('Password'), said('API token')]
  assert.deepEqual(await opens(url, { email, password, token, deploymentId: 1 }), [200, 200, 200])
  const line = /^ {2}(curl .*)$/m.exec(first.output())![1]!
  const answered = JSON.parse(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }))
  assert.equal(answered.ruleboards.length, 2)
  await poll('nothing is kept of it', () => !existsSync(kept(env.GATEHOUSE_DATA)))
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  assert.ok(!first.log().includes(password!) && !first.log().includes(token!))

  const second = startProcess(env, serveCommand())
  await poll('it has printed its address', () => second.output().includes('\n'))
  second.child.kill('SIGTERM')
  assert.equal(await second.ended, 0)
  assert.match(second.output(), /^Gatehouse is at http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('killed before it could print the sign-in, it prints one that works at the next start', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t) }
  const killed = startProcess(env)
  await poll('it makes the owner', () => existsSync(kept(env.GATEHOUSE_DATA)))
  killed.child.kill('SIGKILL')
  await killed.ended
  assert.equal(killed.output(), '')

  const next = await startServer(env)
  assert.deepEqual(await opens(next.url, next.welcome), [200, 200, 200])
  const { body } = await next.call('GET', '/api/deployments/v1/deployments')
  assert.deepEqual(body.deployments.length, 1)
  next.child.kill('SIGKILL')
  await next.ended

  // As if it had been killed between the making of owner and deployment and the printing.
  const { email, password } = next.welcome
  writeFileSync(kept(env.GATEHOUSE_DATA), JSON.stringify({ email, password }))
  const last = await startServer(env)
  assert.deepEqual({ email: last.welcome.email, password: last.welcome.password }, { email, password })
  assert.deepEqual(await opens(last.url, last.welcome), [200, 200, 200])
})
