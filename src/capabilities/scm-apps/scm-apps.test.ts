import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, test } from 'node:test'
import { clientId, openDevopsGatehouse, tenantId } from '../../../test/outside/devops-outside.ts'
import { eventTypes } from './webhooks/subscriptions.ts'

const gatehouse = await openDevopsGatehouse()
after(() => gatehouse.close())
const { provider, devops, apps, request, create, complete, install } = gatehouse

async function get(scmAppId: string) {
  return (await gatehouse.call('GET', `${apps}/${scmAppId}`)).body.app
}

/** Subscriptions at the DevOps service that lead to this app. */
function hooksOf(scmAppId: string) {
  return devops
    .subscriptionsOf('contoso')
    .filter((each) => each.consumerInputs.url?.endsWith(`/devops_app_webhook/${scmAppId}`))
}

test('an app is created with a certificate and nothing else, and is pending', async () => {
  const made = await create()
  assert.deepEqual(Object.keys(made).sort(), ['publicCertificatePem', 'scmAppId'])
  assert.match(made.scmAppId, /^\d+$/)
  const certificate = new X509Certificate(made.publicCertificatePem)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, 3072)
  const app = await get(made.scmAppId)
  const { createdAt, slug, certificates, certificateExpiresAt, ...rest } = app
  assert.match(slug, /^contoso-web-shop/)
  assert.deepEqual(rest, {
    id: made.scmAppId,
    appId: clientId,
    scmType: 'SCM_TYPE_DEVOPS',
    baseUrl: devops.url,
    tenantId,
    status: 'SCM_APP_STATUS_PENDING',
    organizationName: 'contoso',
    projectName: 'Web Shop',
    expiresSoon: false,
    lastFailure: null,
    lastEventAt: null,
    eventCount: 0,
  })
  assert.equal(certificateExpiresAt, certificate.validToDate.toISOString())
  assert.deepEqual(certificates, [
    {
      publicCertificatePem: made.publicCertificatePem,
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      expiresAt: certificateExpiresAt,
      accepted: false,
    },
  ])
})

test('the same Idempotency-Key gives the same app and certificate', async () => {
  const ask = () =>
    gatehouse.call('POST', '/api/scm/devops_app', { body: request, headers: { 'idempotency-key': 'one-app' } })
  const [first, second] = [await ask(), await ask()]
  assert.deepEqual(second.body, first.body)
})

test('what does not fit is refused with a pointer', async () => {
  const cases: [object, string][] = [
    [{ baseUrl: 'ftp://dev.azure.com' }, '/baseUrl'],
    [{ baseUrl: 'dev.azure.com' }, '/baseUrl'],
    [{ baseUrl: 'http://dev.azure.com' }, '/baseUrl'],
    [{ baseUrl: 'http://localhost.example.com' }, '/baseUrl'],
    [{ baseUrl: 'https://user:pass@dev.azure.com' }, '/baseUrl'],
    [{ baseUrl: 'https://dev.azure.com/?a=b' }, '/baseUrl'],
    [{ tenantId: '../common' }, '/tenantId'],
    [{ tenantId: 'a/b' }, '/tenantId'],
    [{ tenantId: '' }, '/tenantId'],
    [{ clientId: 'a b' }, '/clientId'],
    [{ organizationName: '..' }, '/organizationName'],
    [{ organizationName: 'a/b' }, '/organizationName'],
    [{ projectName: 'a?b' }, '/projectName'],
    [{ projectName: '' }, '/projectName'],
    [{ organisationName: 'contoso' }, '/organisationName'],
  ]
  for (const [change, pointer] of cases) {
    const answer = await gatehouse.call('POST', '/api/scm/devops_app', { body: { ...request, ...change } })
    assert.equal(answer.status, 400, JSON.stringify(change))
    assert.equal(answer.body.errors[0].pointer, pointer)
  }
})

test('completion before the certificate is uploaded says so, and works once it is', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  const early = await complete(scmAppId)
  assert.deepEqual([early.status, early.body.code], [422, 'unprocessable'])
  assert.match(early.body.detail, /step 'token' failed.*Upload it to the app registration/)
  assert.ok(early.body.detail.includes(clientId))
  const pending = await get(scmAppId)
  assert.equal(pending.status, 'SCM_APP_STATUS_PENDING')
  assert.equal(pending.lastFailure.step, 'token')
  assert.match(pending.lastFailure.detail, /Upload it/)

  provider.uploadCertificate(clientId, publicCertificatePem)
  const done = await complete(scmAppId)
  assert.equal(done.status, 200, JSON.stringify(done.body))
  assert.deepEqual(done.body, {
    app: {
      id: scmAppId,
      slug: pending.slug,
      appId: clientId,
      scmType: 'SCM_TYPE_DEVOPS',
      baseUrl: devops.url,
      tenantId,
      status: 'SCM_APP_STATUS_READY',
    },
  })
  const ready = await get(scmAppId)
  assert.deepEqual(
    [ready.status, ready.lastFailure, ready.certificates[0].accepted],
    ['SCM_APP_STATUS_READY', null, true],
  )
  assert.deepEqual(
    hooksOf(scmAppId)
      .map((each) => each.eventType)
      .sort(),
    [...eventTypes].sort(),
  )
})

test('each step that fails is named with its reason, and leaves the app pending', async () => {
  devops.addProject('fabrikam', 'Secret', ['another-client'])
  const cases: [object, string, RegExp][] = [
    [{ tenantId: 'no-such-tenant' }, 'token', /AADSTS90002.*is tenantId right\?$/],
    [{ clientId: 'no-such-client' }, 'token', /AADSTS700016.*is clientId right\?$/],
    [{ organizationName: 'nowhere' }, 'organization', /has no organization 'nowhere'/],
    [{ organizationName: 'fabrikam' }, 'organization', /add it to the organization 'fabrikam'/],
    [{ projectName: 'No Such' }, 'project', /'contoso' has no project 'No Such'/],
  ]
  for (const [change, step, why] of cases) {
    const { scmAppId, publicCertificatePem } = await create(change)
    provider.uploadCertificate(clientId, publicCertificatePem)
    const answer = await complete(scmAppId)
    assert.equal(answer.status, 422, JSON.stringify(change))
    assert.ok(answer.body.detail.startsWith(`The step '${step}' failed: `), answer.body.detail)
    assert.match(answer.body.detail, why)
    const app = await get(scmAppId)
    assert.deepEqual([app.status, app.lastFailure.step], ['SCM_APP_STATUS_PENDING', step])
    assert.deepEqual(hooksOf(scmAppId), [])
  }
})

test('completion may be repeated and repairs the webhooks', async () => {
  const scmAppId = await install()
  const before = hooksOf(scmAppId).map((each) => each.id)
  assert.equal((await complete(scmAppId)).status, 200)
  assert.deepEqual(
    hooksOf(scmAppId).map((each) => each.id),
    before,
  )
  const all = devops.subscriptionsOf('contoso')
  all.find((each) => each.id === before[0])!.status = 'disabledBySystem'
  all.splice(
    all.findIndex((each) => each.id === before[1]),
    1,
  )
  assert.equal((await complete(scmAppId)).status, 200)
  const repaired = hooksOf(scmAppId)
  assert.deepEqual(repaired.map((each) => each.eventType).sort(), [...eventTypes].sort())
  assert.ok(repaired.every((each) => each.status === 'enabled'))
})

test('webhooks that fail halfway are completed, not doubled', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  let posts = 0
  devops.control.trouble = ({ method }) => (method === 'POST' && ++posts === 2 ? { status: 500, body: {} } : undefined)
  const failed = await complete(scmAppId)
  devops.control.trouble = undefined
  assert.equal(failed.status, 422)
  assert.match(failed.body.detail, /step 'webhooks' failed: .* answered 500/)
  assert.equal(hooksOf(scmAppId).length, 1)
  assert.equal((await get(scmAppId)).status, 'SCM_APP_STATUS_PENDING')
  assert.equal((await complete(scmAppId)).status, 200)
  assert.equal(hooksOf(scmAppId).length, eventTypes.length)
})

test('of completions at once, in two processes, one works and one set of webhooks comes of it', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  const other = await gatehouse.anotherProcess()
  try {
    const body = { deploymentId: request.deploymentId, scmAppId }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? gatehouse : other).call('PUT', '/api/scm/devops_app_install', { body }),
      ),
    )
    const statuses = new Set(answers.map((answer) => answer.status))
    assert.ok(statuses.has(200))
    assert.deepEqual(
      [...statuses].filter((status) => status !== 200 && status !== 409),
      [],
    )
    assert.equal(hooksOf(scmAppId).length, eventTypes.length)
    assert.equal((await get(scmAppId)).status, 'SCM_APP_STATUS_READY')
  } finally {
    await other.close()
  }
})

test('an app that is being completed is neither completed nor deleted by another', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<undefined>()
  devops.control.trouble = () => {
    reached.resolve()
    return goOn.promise
  }
  const first = complete(scmAppId)
  await reached.promise
  const others = [await complete(scmAppId), await gatehouse.call('DELETE', `${apps}/${scmAppId}`)]
  devops.control.trouble = undefined
  goOn.resolve(undefined)
  assert.deepEqual(
    others.map((answer) => [answer.status, answer.body.code]),
    [
      [409, 'conflict'],
      [409, 'conflict'],
    ],
  )
  assert.equal((await first).status, 200)
  assert.equal((await complete(scmAppId)).status, 200)
})

test('a repeated Idempotency-Key completes again after a failure, and refuses another app', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  const headers = { 'idempotency-key': 'complete-once' }
  assert.equal((await complete(scmAppId, { headers })).status, 422)
  provider.uploadCertificate(clientId, publicCertificatePem)
  const done = await complete(scmAppId, { headers })
  assert.equal(done.status, 200)
  assert.deepEqual((await complete(scmAppId, { headers })).body, done.body)
  const another = await create()
  const seen = provider.seen.length
  const mixed = await complete(another.scmAppId, { headers })
  assert.deepEqual([mixed.status, mixed.body.code, provider.seen.length], [422, 'idempotency_mismatch', seen])
})

test('deletion removes the webhooks, the keys and the app, once', async () => {
  const scmAppId = await install()
  assert.equal(hooksOf(scmAppId).length, eventTypes.length)
  const headers = { 'idempotency-key': 'delete-once' }
  const stale = await gatehouse.call('DELETE', `${apps}/${scmAppId}`, { headers: { 'if-match': '"1"' } })
  assert.deepEqual([stale.status, hooksOf(scmAppId).length], [412, eventTypes.length])
  const deleted = await gatehouse.call('DELETE', `${apps}/${scmAppId}`, { headers })
  assert.deepEqual([deleted.status, deleted.body.app.id, deleted.body.webhooksRemoved], [200, scmAppId, true])
  assert.deepEqual(hooksOf(scmAppId), [])
  assert.equal((await gatehouse.call('GET', `${apps}/${scmAppId}`)).status, 404)
  assert.equal((await complete(scmAppId)).status, 404)
  const repeated = await gatehouse.call('DELETE', `${apps}/${scmAppId}`, { headers })
  assert.deepEqual(repeated.body, deleted.body)
})

test('an app whose services are gone can be deleted all the same', async () => {
  const scmAppId = await install()
  provider.control.trouble = () => ({ status: 500, body: 'down' })
  const deleted = await gatehouse.call('DELETE', `${apps}/${scmAppId}`)
  provider.control.trouble = undefined
  assert.deepEqual([deleted.status, deleted.body.webhooksRemoved], [200, false])
  assert.equal(hooksOf(scmAppId).length, eventTypes.length)
  const never = await create()
  assert.equal((await gatehouse.call('DELETE', `${apps}/${never.scmAppId}`)).body.webhooksRemoved, true)
})

test('apps are listed page by page', async () => {
  const all = (await gatehouse.call('GET', apps)).body
  assert.equal(all.hasMore, false)
  const seen: string[] = []
  for (let cursor = 0; ; ) {
    const page = (await gatehouse.call('GET', `${apps}?pageSize=2&cursor=${cursor}`)).body
    seen.push(...page.apps.map((app: { id: string }) => app.id))
    if (!page.hasMore) break
    cursor = page.cursor
  }
  assert.deepEqual(
    seen,
    all.apps.map((app: { id: string }) => app.id),
  )
})
