import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { createOutbound } from '../../outbound/client/client.ts'
import { type CloudsecServiceSandbox, startCloudsecService } from '../../sandbox/cloudsec-service.ts'
import type { SandboxAnswer } from '../../sandbox/local-server.ts'
import { createKeyRotation } from '../../vault/rotation/key-rotation.ts'
import { tokenProblem } from './token-request.ts'

let gatehouse: TestGatehouse
let service: CloudsecServiceSandbox
let elsewhere: CloudsecServiceSandbox
let path: string
let secret: string
const lines: string[] = []
before(async () => {
  service = await startCloudsecService()
  elsewhere = await startCloudsecService()
  gatehouse = await openGatehouse({ env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' }, log: (line) => lines.push(line) })
  path = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/cloudsec`
  secret = service.addServiceAccount('gatehouse')
})
beforeEach(() => {
  service.control.trouble = undefined
})
after(async () => {
  await gatehouse.close()
  await service.close()
  await elsewhere.close()
})

async function create(more: object = {}) {
  const { apiUrl, tokenUrl } = service
  const body = { clientId: 'gatehouse', clientSecret: secret, apiUrl, tokenUrl, ...more }
  const answer = await gatehouse.call('POST', path, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.cloudsecCredential
}

async function validate(id: string): Promise<{ valid: boolean; detail: string }> {
  const answer = await gatehouse.call('POST', `${path}/${id}/validate`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

test('a credential is made, read, listed and deleted, and shows everything but its secret', async () => {
  const made = await create()
  assert.deepEqual(made, {
    id: made.id,
    deploymentId: gatehouse.owner.deploymentId,
    clientId: 'gatehouse',
    apiUrl: service.apiUrl,
    tokenUrl: service.tokenUrl,
  })
  assert.match(made.id, /^\d+$/)
  assert.deepEqual((await gatehouse.call('GET', `${path}/${made.id}`)).body, { cloudsecCredential: made })
  const second = await create({ clientId: 'another' })
  const page = await gatehouse.call('GET', `${path}?pageSize=1&cursor=${made.id}`)
  assert.deepEqual(page.body, { cloudsecCredentials: [second], hasMore: false, cursor: '' })
  assert.deepEqual((await gatehouse.call('DELETE', `${path}/${made.id}`)).body, { cloudsecCredential: made })
  const gone = await gatehouse.call('GET', `${path}/${made.id}`)
  assert.deepEqual([gone.status, gone.body.code], [404, 'not_found'])
})

test('the secret lies sealed in the database', async () => {
  const { id } = await create()
  const [row] = await gatehouse.db
    .as(gatehouse.owner)
    .query<{ all: string }>(sql`select t::text as all from cloudsec_credential t where id = ${Number(id)}`)
  assert.ok(row!.all.includes('ciphertext') && !row!.all.includes(secret))
})

test('validating asks for a token by client credentials', async () => {
  const { id } = await create()
  const before = service.tokens.size
  assert.deepEqual(await validate(id), { valid: true, detail: '' })
  assert.equal(service.tokens.size, before + 1)
  const form = Object.fromEntries(new URLSearchParams(service.seen.at(-1)!.body))
  assert.deepEqual(form, {
    grant_type: 'client_credentials',
    audience: 'wiz-api',
    client_id: 'gatehouse',
    client_secret: secret,
  })
})

test('a rotation of keys takes the secret along', async () => {
  const { id } = await create()
  const version = async () => {
    const [row] = await gatehouse.db
      .as(gatehouse.owner)
      .query<{ version: string }>(
        sql`select client_secret ->> 'keyVersion' as version from cloudsec_credential where id = ${Number(id)}`,
      )
    return Number(row!.version)
  }
  const before = await version()
  await createKeyRotation(gatehouse, 'a test').rotateDeployment(gatehouse.owner.deploymentId)
  assert.equal(await version(), before + 1)
  assert.equal((await validate(id)).valid, true)
})

test('a wrong secret is not valid, until the right one is sent', async () => {
  const { id } = await create({ clientSecret: 'wrong' })
  const verdict = await validate(id)
  assert.equal(verdict.valid, false)
  assert.match(verdict.detail, /answered 401, access_denied; are clientId and clientSecret right/)
  await gatehouse.call('PATCH', `${path}/${id}`, { body: { clientSecret: secret } })
  assert.equal((await validate(id)).valid, true)
})

const replies: Record<string, [SandboxAnswer, RegExp]> = {
  'an error of its own': [{ status: 500, body: { error: 'Bad: hunter2' } }, /answered 500\.$/],
  'a page for people': [{ body: '<html>' }, /not JSON/],
  'no token': [{ body: { token_type: 'Bearer' } }, /without a usable token/],
  'a token of another kind': [{ body: { access_token: 'a', token_type: 'mac' } }, /without a usable token/],
  'a redirect': [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }, /redirects instead/],
}
for (const [name, [reply, expected]] of Object.entries(replies)) {
  test(`the service answers with ${name}: not valid, and it says why`, async () => {
    const { id } = await create()
    service.control.trouble = () => reply
    const verdict = await validate(id)
    assert.equal(verdict.valid, false)
    assert.match(verdict.detail, expected)
  })
}

test('a slow service is given up', async () => {
  service.control.trouble = () => new Promise<never>(() => {})
  const outbound = createOutbound({ allow: '127.0.0.1' })
  try {
    const request = { clientId: 'gatehouse', clientSecret: secret, tokenUrl: service.tokenUrl }
    assert.match((await tokenProblem(outbound, request, 200)) ?? '', /longer than/)
  } finally {
    await outbound.close()
  }
})

test('another origin needs the secret again, or nothing changes and nothing is sent there', async () => {
  const made = await create()
  for (const change of [{ tokenUrl: elsewhere.tokenUrl }, { apiUrl: elsewhere.apiUrl }]) {
    const answer = await gatehouse.call('PATCH', `${path}/${made.id}`, { body: change })
    assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
    assert.equal(answer.body.errors[0].pointer, `/${Object.keys(change)[0]}`)
  }
  assert.deepEqual((await gatehouse.call('GET', `${path}/${made.id}`)).body.cloudsecCredential, made)
  await validate(made.id)
  assert.equal(elsewhere.seen.length, 0)
  const samePlace = { tokenUrl: `${new URL(service.tokenUrl).origin}/other/token` }
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, { body: samePlace })).status, 200)
  const clientSecret = elsewhere.addServiceAccount('gatehouse')
  const { apiUrl, tokenUrl } = elsewhere
  const moved = await gatehouse.call('PATCH', `${path}/${made.id}`, { body: { apiUrl, tokenUrl, clientSecret } })
  assert.equal(moved.status, 200)
  assert.equal((await validate(made.id)).valid, true)
})

test('addresses that cannot be used are refused, each of them pointed to', async () => {
  const bad = { clientId: 'a', clientSecret: 'b', apiUrl: 'http://example.com/', tokenUrl: 'https://u:p@example.com/' }
  const made = await gatehouse.call('POST', path, { body: bad })
  assert.deepEqual([made.status, made.body.code], [400, 'validation_failed'])
  assert.deepEqual(
    made.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/apiUrl', '/tokenUrl'],
  )
  const { id } = await create()
  const changed = await gatehouse.call('PATCH', `${path}/${id}`, { body: { tokenUrl: 'https://example.com/?a=b' } })
  assert.equal(changed.status, 400)
})

test('no connection is made to addresses inside, unless they are allowed', async (t) => {
  const closed = await openGatehouse()
  t.after(() => closed.close())
  const inside = [
    'http://127.0.0.1',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'https://[::1]',
    'http://localhost',
  ]
  const { port } = new URL(service.tokenUrl)
  const before = service.seen.length
  for (const host of inside) {
    const url = `${host}:${port}/oauth/token`
    const at = `/api/notifications/deployments/${closed.owner.deploymentId}/cloudsec`
    const body = { clientId: 'gatehouse', clientSecret: secret, apiUrl: url, tokenUrl: url }
    const { id } = (await closed.call('POST', at, { body })).body.cloudsecCredential
    const answer = await closed.call('POST', `${at}/${id}/validate`)
    assert.equal(answer.body.valid, false, host)
    assert.match(answer.body.detail, /GATEHOUSE_EGRESS_ALLOW/, host)
  }
  assert.equal(service.seen.length, before)
})

test('an old If-Match changes nothing', async () => {
  const made = await create()
  const current = (await gatehouse.call('GET', `${path}/${made.id}`)).headers.get('etag')!
  const request = { body: { clientId: 'new' }, headers: { 'if-match': current } }
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, request)).status, 200)
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, request)).status, 412)
  assert.equal((await gatehouse.call('DELETE', `${path}/${made.id}`, { headers: { 'if-match': current } })).status, 412)
})

test('no answer, log line or audit event holds the secret, right or wrong', async () => {
  const canary = 'canary secret with spaces'
  const bodies = [
    { clientId: 'a', clientSecret: canary, apiUrl: service.apiUrl, tokenUrl: service.tokenUrl },
    { clientId: 'a', clientSecret: { canary }, apiUrl: 'x', tokenUrl: 'y' },
    { clientId: 'a', clientSecret: `${canary}\n`, apiUrl: 'x', tokenUrl: 'y' },
  ]
  const answers = []
  for (const body of bodies) answers.push(await gatehouse.call('POST', path, { body }))
  const { id } = answers[0]!.body.cloudsecCredential
  service.control.trouble = () => ({ status: 401, body: { error: canary, error_description: canary } })
  answers.push(await gatehouse.call('POST', `${path}/${id}/validate`), await gatehouse.call('GET', path))
  answers.push(await gatehouse.call('PATCH', `${path}/${id}`, { body: { clientSecret: canary } }))
  const audit = await gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=100`,
  )
  assert.ok(audit.body.events.length > 5 && lines.length > 5)
  assert.ok(!JSON.stringify([answers.map(({ body }) => body), audit.body, lines]).includes('canary'))
})
