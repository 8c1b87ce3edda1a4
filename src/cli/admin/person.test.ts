import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'
import { factorKit } from '../../../test/servers/factor-gatehouse.ts'
import { databaseUrl } from '../../../test/servers/real-process.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

function person(args: string[], input = '', url = 'https://gatehouse.example.com') {
  const env = {
    DATABASE_URL: databaseUrl(gatehouse.connection as Parameters<typeof databaseUrl>[0]),
    GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
    GATEHOUSE_URL: url,
  }
  return runCommand(['person', ...args], { env, input })
}

test('the command prints a link that lets an operator back in, once', async () => {
  const { code, stdout, stderr } = await person(['reset', gatehouse.owner.email.toUpperCase(), '--json'])
  assert.equal(code, 0, stderr)
  const { link } = JSON.parse(stdout)
  assert.match(link, /^https:\/\/gatehouse\.example\.com\/reset-password#/)
  const reset = (password: string) =>
    gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: { token: tokenOf(link), password } })
  assert.equal((await reset('back in the house')).status, 200)
  assert.equal((await reset('and once more')).status, 404)
  await gatehouse.signIn(gatehouse.owner.email, 'back in the house')
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events`
  const actions = (await gatehouse.call('GET', path)).body.events.map(({ action }: { action: string }) => action)
  assert.ok(actions.includes('person.reset-link') && actions.includes('person.password-reset'), String(actions))
})

test('where nobody says what address people use, the command says so', async () => {
  const told = await person(['reset', gatehouse.owner.email])
  assert.deepEqual([told.code, told.stderr], [0, ''])
  const untold = await person(['reset', gatehouse.owner.email], '', '')
  assert.equal(untold.code, 0)
  assert.match(
    untold.stderr,
    /^gatehouse: GATEHOUSE_URL is not set here, so the link has the address of this machine\./,
  )
})

test('it sets a password that it is given, and says no to a short one and to an unknown address', async () => {
  const short = await person(['reset', gatehouse.owner.email, '--prompt'], 'short\n')
  assert.deepEqual([short.code, short.stderr], [2, 'gatehouse: A password must have 12 to 200 characters.\n'])
  const lines = await person(['reset', gatehouse.owner.email, '--prompt'], 'typed on the server\ntyped on the server\n')
  assert.deepEqual([lines.code, lines.stderr], [2, 'gatehouse: A password must be on one line.\n'])
  const { code, stdout } = await person(['reset', gatehouse.owner.email, '--prompt'], 'typed on the server\n')
  assert.deepEqual([code, stdout.includes('typed on the server')], [0, false])
  await gatehouse.signIn(gatehouse.owner.email, 'typed on the server')
  const unknown = await person(['reset', 'nobody@example.com'])
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'gatehouse: There is no account for nobody@example.com.\n'])
})

test('it removes second factors for somebody who has lost them, and ends their sessions', async () => {
  const kit = factorKit(gatehouse, { now: () => new Date(), later: () => {} })
  const lost = await gatehouse.addPerson('member')
  await kit.setUpApp(lost.jwt)
  assert.equal((await kit.login(lost)).body.code, 'second_factor_required')
  const both = await person(['reset', lost.email, '--second-factor', '--prompt'])
  assert.deepEqual([both.code, both.stderr], [2, 'gatehouse: Choose one of --prompt and --second-factor.\n'])
  const { code, stdout, stderr } = await person(['reset', lost.email, '--second-factor'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /has no second factor any more; all their sessions have ended/)
  assert.equal((await kit.login(lost)).status, 200)
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events`
  const { events } = (await gatehouse.call('GET', path)).body
  const told = events.find(({ action }: { action: string }) => action === 'person.factor-reset')
  assert.deepEqual([told.target, told.detail.by], [`person:${lost.id}`, 'server'])
})
