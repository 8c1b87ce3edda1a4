import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clientId, openDevopsGatehouse, tenantId } from '../../../../test/outside/devops-outside.ts'
import { createOutbound } from '../../../outbound/client/client.ts'
import { type SandboxAnswer, startLocalServer } from '../../../sandbox/local-server.ts'
import { requestToken } from '../certificates/access-token.ts'

const gatehouse = await openDevopsGatehouse()
const elsewhere = await startLocalServer(() => ({ body: { access_token: 'stolen', token_type: 'Bearer' } }))
after(() => Promise.all([gatehouse.close(), elsewhere.close()]))
const { provider, devops, apps, create, complete } = gatehouse

const { scmAppId, publicCertificatePem } = await create()
provider.uploadCertificate(clientId, publicCertificatePem)

async function failsWith(step: string, why: RegExp): Promise<void> {
  const answer = await complete(scmAppId)
  assert.equal(answer.status, 422)
  assert.ok(answer.body.detail.startsWith(`The step '${step}' failed: `), answer.body.detail)
  assert.match(answer.body.detail, why)
  const { app } = (await gatehouse.call('GET', `${apps}/${scmAppId}`)).body
  assert.deepEqual([app.status, app.lastFailure.step], ['SCM_APP_STATUS_PENDING', step])
}

const echo = (): SandboxAnswer => {
  const assertion = new URLSearchParams(provider.seen.at(-1)!.body).get('client_assertion')
  return {
    status: 400,
    body: { error: assertion, error_description: `You sent ${assertion}`, error_codes: [assertion] },
  }
}

const html = { 'content-type': 'text/html' }
const away = { location: `${elsewhere.url}/collect` }

const providerTroubles: [string, () => SandboxAnswer, RegExp][] = [
  ['500', () => ({ status: 500, body: 'oops' }), /answered 500 with something that is not JSON/],
  ['503 in JSON', () => ({ status: 503, body: { error: 'temporarily_unavailable' } }), /503, temporarily_unavailable/],
  ['a page', () => ({ headers: html, body: '<html>Hello</html>' }), /answered 200 with something that is not JSON/],
  ['an array', () => ({ body: [] }), /not JSON/],
  ['no token', () => ({ body: { token_type: 'Bearer' } }), /without a usable token/],
  ['a token that breaks a header', () => ({ body: { access_token: 'a\r\nX: y' } }), /without a usable token/],
  ['a token that is none', () => ({ body: { access_token: { a: 1 } } }), /without a usable token/],
  ['301', () => ({ status: 301, headers: away }), /redirects instead of answering/],
  ['302', () => ({ status: 302, headers: away }), /redirects instead of answering/],
  ['303', () => ({ status: 303, headers: away }), /redirects instead of answering/],
  ['307', () => ({ status: 307, headers: away }), /redirects instead of answering/],
  ['308', () => ({ status: 308, headers: away }), /redirects instead of answering/],
  ['more than anybody needs', () => ({ body: 'x'.repeat(1_000_000) }), /larger than/],
  ['what it was sent', echo, /answered 400, no known error\.$/],
]

for (const [name, trouble, why] of providerTroubles) {
  test(`an identity provider that answers ${name}`, async () => {
    provider.control.trouble = trouble
    try {
      await failsWith('token', why)
    } finally {
      provider.control.trouble = undefined
    }
    assert.deepEqual(elsewhere.seen, [])
  })
}

const devopsTroubles: [string, () => SandboxAnswer, RegExp][] = [
  ['500', () => ({ status: 500 }), /answered 500/],
  ['a sign-in page', () => ({ status: 203, headers: html, body: '<html>' }), /does not let the service principal in/],
  ['a page', () => ({ headers: html, body: '<html>' }), /did not answer like a DevOps service/],
  ['403', () => ({ status: 403, body: {} }), /forbids it.*give it access to the organization/],
  ['302', () => ({ status: 302, headers: away }), /redirects instead of answering/],
]

for (const [name, trouble, why] of devopsTroubles) {
  test(`a DevOps service that answers ${name}`, async () => {
    devops.control.trouble = trouble
    try {
      await failsWith('organization', why)
    } finally {
      devops.control.trouble = undefined
    }
    assert.deepEqual(elsewhere.seen, [])
  })
}

test('a DevOps service with strange ids is not followed', async () => {
  const ids: [string, string, object][] = [
    ['project', 'projects', { id: '../../x', state: 'wellFormed' }],
    ['project', 'projects', { id: 'p', state: 'deleting' }],
    ['webhooks', 'subscriptions', { value: 'none' }],
  ]
  for (const [step, part, body] of ids) {
    devops.control.trouble = ({ path }) => (path.includes(part) && path.length > 3 ? { body } : undefined)
    await failsWith(step, /did not answer like a DevOps service|not ready/)
  }
  devops.control.trouble = undefined
})

test('a service principal that may not subscribe is told which right it lacks', async () => {
  devops.control.trouble = ({ path }) => (path.includes('hooks') ? { status: 403, body: {} } : undefined)
  await failsWith('webhooks', /permissions to view and edit subscriptions/)
  devops.control.trouble = undefined
})

test('after all that it is completed', async () => {
  assert.equal((await complete(scmAppId)).status, 200)
})

test('an identity provider that is down, and addresses that are not allowed', async () => {
  const gone = await startLocalServer(() => ({}))
  await gone.close()
  const cases: [Record<string, string>, string, RegExp][] = [
    [{ GATEHOUSE_IDENTITY_PROVIDER_URL: gone.url }, 'token', /connect|ECONNREFUSED|reach/i],
    [{ GATEHOUSE_EGRESS_ALLOW: '' }, 'token', /loopback.*GATEHOUSE_EGRESS_ALLOW/],
  ]
  for (const [env, step, why] of cases) {
    const other = await openDevopsGatehouse({ env })
    try {
      const made = await other.create()
      const answer = await other.complete(made.scmAppId)
      assert.equal(answer.status, 422)
      assert.ok(answer.body.detail.startsWith(`The step '${step}' failed: `))
      assert.match(answer.body.detail, why)
    } finally {
      await other.close()
    }
  }
})

test('an identity provider that says nothing is given up', async (t) => {
  const silent = await startLocalServer(() => new Promise(() => {}))
  const outbound = createOutbound({ allow: '127.0.0.1' })
  t.after(() => Promise.all([outbound.close(), silent.close()]))
  const tokenEndpoint = `${silent.url}/${tenantId}/oauth2/v2.0/token`
  const asked = requestToken(outbound, { clientId, tokenEndpoint, assertion: 'a.b.c', timeoutMs: 100 })
  await assert.rejects(asked, { name: 'StepFailure', step: 'token', message: /longer than 0\.1 seconds/ })
})
