import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { clientId, openDevopsGatehouse } from '../../../../test/outside/devops-outside.ts'
import { eventTypes } from '../webhooks/subscriptions.ts'

const day = 86_400_000
const start = Date.now()
let days = 0
const clock = { now: () => new Date(start + days * day) }
const gatehouse = await openDevopsGatehouse({ clock })
after(() => gatehouse.close())
const { provider, devops, apps, install, create, complete } = gatehouse

type Shown = {
  status: string
  expiresSoon: boolean
  certificateExpiresAt: string
  certificates: { accepted: boolean }[]
}

async function get(scmAppId: string, as = gatehouse.owner.token): Promise<Shown> {
  return (await gatehouse.call('GET', `${apps}/${scmAppId}`, { as })).body.app
}

function rotate(scmAppId: string, headers: Record<string, string> = {}) {
  return gatehouse.call('POST', `${apps}/${scmAppId}/certificate`, { headers })
}

function accepted({ certificates }: Shown): boolean[] {
  return certificates.map((each) => each.accepted)
}

test('the old certificate stays in use until a completion has worked with the new one', async () => {
  const scmAppId = await install()
  const rotated = await rotate(scmAppId)
  assert.equal(rotated.status, 200)
  assert.deepEqual(Object.keys(rotated.body).sort(), ['publicCertificatePem', 'scmAppId'])
  assert.deepEqual(accepted(await get(scmAppId)), [true, false])

  const early = await complete(scmAppId)
  assert.equal(early.status, 422)
  assert.match(early.body.detail, /step 'token' failed.*Upload it/)
  const between = await get(scmAppId)
  assert.deepEqual([between.status, accepted(between)], ['SCM_APP_STATUS_READY', [true, false]])

  provider.uploadCertificate(clientId, rotated.body.publicCertificatePem)
  assert.equal((await complete(scmAppId)).status, 200)
  const done = (await gatehouse.call('GET', `${apps}/${scmAppId}`)).body.app
  assert.deepEqual(accepted(done), [true])
  assert.equal(done.certificates[0].publicCertificatePem, rotated.body.publicCertificatePem)
})

test('with a rotation under way the old certificate still removes the webhooks', async () => {
  const scmAppId = await install()
  await rotate(scmAppId)
  const before = devops.subscriptionsOf('contoso').length
  assert.equal((await gatehouse.call('DELETE', `${apps}/${scmAppId}`)).body.webhooksRemoved, true)
  assert.equal(devops.subscriptionsOf('contoso').length, before - eventTypes.length)
})

test('a new certificate that was never used is replaced by the next', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  const second = (await rotate(scmAppId)).body.publicCertificatePem
  assert.notEqual(second, publicCertificatePem)
  const third = (await rotate(scmAppId)).body.publicCertificatePem
  const { certificates } = (await gatehouse.call('GET', `${apps}/${scmAppId}`)).body.app
  assert.deepEqual(
    certificates.map((each: { publicCertificatePem: string }) => each.publicCertificatePem),
    [third],
  )
})

test('a certificate that is rotated during its completion is not accepted unseen', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  devops.control.trouble = async () => {
    devops.control.trouble = undefined
    await rotate(scmAppId)
    return undefined
  }
  const answer = await complete(scmAppId)
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'])
  const app = await get(scmAppId)
  assert.deepEqual([app.status, accepted(app)], ['SCM_APP_STATUS_PENDING', [false]])
})

test('a rotation honours If-Match and Idempotency-Key', async () => {
  const { scmAppId } = await create()
  const etag = (await gatehouse.call('GET', `${apps}/${scmAppId}`)).headers.get('etag')!
  const first = await rotate(scmAppId, { 'if-match': etag, 'idempotency-key': 'rotate-once' })
  assert.equal(first.status, 200)
  assert.equal((await rotate(scmAppId, { 'if-match': etag })).status, 412)
  const again = await rotate(scmAppId, { 'if-match': etag, 'idempotency-key': 'rotate-once' })
  assert.deepEqual(again.body, first.body)
})

test('a lease that its process did not live to give back runs out', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  await giveLeaseAway(scmAppId, '1 minute')
  assert.equal((await complete(scmAppId)).status, 409)
  await giveLeaseAway(scmAppId, '-1 second')
  assert.equal((await complete(scmAppId)).status, 200)
})

test('a completion that has lost its lease changes nothing', async () => {
  const { scmAppId, publicCertificatePem } = await create()
  provider.uploadCertificate(clientId, publicCertificatePem)
  devops.control.trouble = async () => {
    devops.control.trouble = undefined
    await giveLeaseAway(scmAppId, '1 minute')
    return undefined
  }
  assert.equal((await complete(scmAppId)).status, 409)
  const app = await get(scmAppId)
  assert.deepEqual([app.status, accepted(app)], ['SCM_APP_STATUS_PENDING', [false]])
  // Nor does it give back what another holds.
  assert.equal((await complete(scmAppId)).status, 409)
})

/** As if another process had taken it. */
function giveLeaseAway(scmAppId: string, until: string): Promise<unknown> {
  const { deploymentId } = gatehouse.owner
  const actor = { deploymentId, personId: 1, tokenId: 0, role: 'owner', permissions: new Set(), requestId: 'test' }
  return gatehouse.db.transaction(actor as never, (tx) =>
    tx.query(sql`update scm_app set lease = ${randomUUID()}, lease_until = now() + ${until}::interval
      where deployment_id = ${tx.deploymentId} and id = ${Number(scmAppId)}`),
  )
}

test('an app warns a month before its certificate expires, and says so when it has', async () => {
  const scmAppId = await install()
  assert.equal((await get(scmAppId)).expiresSoon, false)
  const later = async (passed: number) => {
    days = passed
    const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
    return { as, app: await get(scmAppId, as) }
  }
  assert.equal((await later(334)).app.expiresSoon, false)
  assert.equal((await later(336)).app.expiresSoon, true)
  const { as, app } = await later(366)
  assert.equal(app.expiresSoon, true)
  assert.ok(new Date(app.certificateExpiresAt) < clock.now())
  const seen = provider.seen.length
  const answer = await complete(scmAppId, { as })
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail, /step 'certificate' failed: It expired on \d{4}-\d\d-\d\d\. Rotate it/)
  assert.equal(provider.seen.length, seen)
})
