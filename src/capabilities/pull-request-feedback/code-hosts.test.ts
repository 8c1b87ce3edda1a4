import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { type FeedbackGatehouse, openFeedbackGatehouse } from '../../../test/servers/feedback-gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { startGitHubService } from '../../sandbox/code-hosts/github-service.ts'

let gatehouse: FeedbackGatehouse
let github: Awaited<ReturnType<typeof startGitHubService>>
before(async () => {
  github = await startGitHubService()
  gatehouse = await openFeedbackGatehouse()
})
after(async () => {
  await gatehouse?.close()
  await github?.close()
})

const wanted = (more: object = {}) => ({
  ...{ kind: 'github', apiUrl: github.apiUrl, owners: ['acme'], auth: 'token', credential: 'not-a-token' },
  ...more,
})

test('a code host is connected, checked, changed and removed', async () => {
  const { codeHost, check, webhookSecret } = await gatehouse.connect(wanted())
  assert.deepEqual(
    [check.ok, check.problem],
    [false, `${github.url} refuses the credential. Put a new one in the settings.`],
  )
  assert.match(webhookSecret, /^[0-9a-f]{64}$/)
  assert.deepEqual([codeHost.postsStatus, codeHost.postsComment, codeHost.postsLineComments], [true, true, true])
  assert.equal(codeHost.lastDelivery, null)
  const credential = github.addToken('robot')
  const changed = await gatehouse.hosts('PATCH', `/${codeHost.id}`, { body: { credential, postsLineComments: false } })
  assert.equal(changed.body.codeHost.postsLineComments, false)
  const checked = await gatehouse.hosts('POST', `/${codeHost.id}/check`)
  assert.deepEqual(checked.body, { ok: true, account: 'robot', problem: '' })
  const listed = await gatehouse.hosts('GET')
  assert.equal(listed.body.codeHosts[0].account, 'robot')
  assert.ok(!JSON.stringify(listed.body).includes(webhookSecret))
  const stale = { headers: { 'if-match': '"1"' }, body: { owners: ['other'] } }
  assert.equal((await gatehouse.hosts('PATCH', `/${codeHost.id}`, stale)).status, 412)
  assert.equal((await gatehouse.hosts('DELETE', `/${codeHost.id}`)).status, 200)
  assert.equal((await gatehouse.hosts('GET', `/${codeHost.id}`)).status, 404)
})

test('what cannot be used is refused, and says where', async () => {
  const pem = (type: 'rsa' | 'ed25519') =>
    generateKeyPairSync(type as 'rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const app = { auth: 'app', appId: 'Iv1', installationId: '1', credential: pem('rsa') }
  const refused: [more: object, pointer: string][] = [
    [{ apiUrl: 'http://github.example.com/api/v3' }, '/apiUrl'],
    [{ apiUrl: 'https://user:word@github.example.com' }, '/apiUrl'],
    [{ apiUrl: 'https://github.example.com/?a' }, '/apiUrl'],
    [{ owners: [] }, '/owners'],
    [{ owners: ['../etc'] }, '/owners/0'],
    [{ ...app, kind: 'gitlab' }, '/auth'],
    [{ ...app, appId: '' }, '/appId'],
    [{ ...app, installationId: '' }, '/installationId'],
    [{ ...app, installationId: '1/x' }, '/installationId'],
    [{ ...app, credential: 'not a key' }, '/credential'],
    [{ ...app, credential: pem('ed25519') }, '/credential'],
    [{ appId: 'Iv1' }, '/appId'],
    [{ credential: 'two\nlines' }, '/credential'],
  ]
  for (const [more, pointer] of refused) {
    const { status, body } = await gatehouse.hosts('POST', '', { body: wanted(more) })
    assert.equal(status, 400, JSON.stringify(more))
    assert.deepEqual(
      body.errors.map((each: { pointer: string }) => each.pointer),
      [pointer],
    )
    assert.ok(!JSON.stringify(body).includes('PRIVATE KEY'))
  }
})

test('a stored credential goes to no other origin, kind or app', async () => {
  const { codeHost } = await gatehouse.connect(wanted({ credential: github.addToken('robot') }))
  const path = `/${codeHost.id}`
  for (const body of [
    { apiUrl: 'https://elsewhere.example.com/api/v3' },
    { auth: 'app', appId: 'Iv1', installationId: '1' },
  ]) {
    assert.equal((await gatehouse.hosts('PATCH', path, { body })).status, 422, JSON.stringify(body))
  }
  const moved = { apiUrl: `${github.url}/elsewhere` }
  assert.equal((await gatehouse.hosts('PATCH', path, { body: moved })).status, 200, 'the same origin')
  await gatehouse.hosts('DELETE', path)
})

test('an address that is not public is asked only where the operator allows it', async () => {
  const { check } = await gatehouse.connect(wanted({ apiUrl: 'https://10.0.0.1/api/v3', owners: ['private'] }))
  assert.equal(check.ok, false)
  assert.match(check.problem, /GATEHOUSE_EGRESS_ALLOW/)
})

test('neither the database, nor the log, nor the audit log has the credential or the secret in the clear', async () => {
  const credential = github.addToken('robot')
  const { webhookSecret } = await gatehouse.connect(wanted({ credential, owners: ['sealed'] }))
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const rows = await gatehouse.db.as(actor).query(sql`select to_jsonb(code_host) as row from code_host`)
  const audited = await gatehouse.db.as(actor).query(sql`select detail from audit_event`)
  const told = JSON.stringify([rows, audited, gatehouse.lines])
  assert.ok(!told.includes(credential) && !told.includes(webhookSecret))
})

test('members neither see nor change code hosts', async () => {
  const { token } = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.hosts('GET', '', { as: token })).status, 403)
  assert.equal((await gatehouse.hosts('POST', '', { as: token, body: wanted() })).status, 403)
})
