import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { contracts } from '../../compose/contracts.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

/** The bytes as they came. */
function raw(method: string, path: string, coding: string, body?: unknown) {
  const { hostname, port } = new URL(gatehouse.url)
  const headers = {
    authorization: `Bearer ${gatehouse.owner.token}`,
    'accept-encoding': coding,
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** Short ones are packed at once, others in another thread. */
const longAnswers = [
  { repositories: 8, least: 1024, most: 8 * 1024 },
  { repositories: 90, least: 8 * 1024, most: 100 * 1024 },
]

for (const { repositories, least, most } of longAnswers) {
  test(`an answer of more than ${least} bytes is packed for who takes it, and is the same`, async () => {
    const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
    for (let made = 0; made < repositories; made++)
      await gatehouse.call('POST', path, { body: { name: `${repositories}-${made}-${'x'.repeat(50)}` } })
    const search = `${path}?name=${repositories}-&pageSize=100`
    const plain = await raw('GET', search, 'identity')
    assert.ok(plain.body.length > least && plain.body.length < most, `${plain.body.length} bytes`)
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const coding of ['gzip', 'br, gzip;q=0.5', '*']) {
      const packed = await raw('GET', search, coding)
      assert.deepEqual([packed.headers['content-encoding'], packed.headers.vary], ['gzip', 'accept-encoding'], coding)
      assert.equal(Number(packed.headers['content-length']), packed.body.length)
      assert.ok(packed.body.length < plain.body.length / 2)
      assert.equal(gunzipSync(packed.body).toString(), plain.body.toString())
    }
    for (const coding of ['', 'br', 'gzip;q=0', 'identity, gzip; q=0.0'])
      assert.equal((await raw('GET', search, coding)).headers['content-encoding'], undefined, coding)
    assert.equal(plain.headers.vary, 'accept-encoding')
  })
}

test('a short answer, and a problem, are sent as they are', async () => {
  const short = await raw('GET', '/api/deployments/v1/deployments', 'gzip')
  assert.ok(short.body.length < 1024 && short.headers['content-encoding'] === undefined)
  const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`no-such-field-${at}`, 1]))
  const problem = await raw('POST', `/api/findings/${gatehouse.owner.deploymentId}/findings/search`, 'gzip', unknown)
  assert.deepEqual([problem.status, problem.headers['content-encoding']], [400, undefined])
  assert.ok(problem.body.length > 1024)
})

test('an answer with a secret in it is never packed, however long it is', async () => {
  const path = `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`
  const scopes = (await gatehouse.call('GET', '/api/tokens/v1/self')).body.deployments[0].permissions
  const made = await raw('POST', path, 'gzip', { name: 'long '.repeat(30).trim(), scopes })
  assert.equal(made.status, 200)
  assert.ok(made.body.length > 1024)
  assert.deepEqual([made.headers['content-encoding'], made.headers.vary], [undefined, undefined])
})

const secretNames = /^(secret|link|accessToken|refreshToken|credentials|ciphertext|redirect_url)$/

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: Record<string, unknown> }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)]
}

test('every operation that answers a secret says so', () => {
  const unsaid = contracts.filter(
    (contract) => !contract.answersSecret && namesIn(contract.response).some((name) => secretNames.test(name)),
  )
  assert.deepEqual(
    unsaid.map(({ id }) => id),
    [],
  )
  const said = contracts.filter((contract) => contract.answersSecret).map(({ id }) => id)
  for (const id of [
    'login',
    'refresh',
    'openSession',
    'createToken',
    'addPerson',
    'renewInvitation',
    'createResetLink',
  ])
    assert.ok(said.includes(id), id)
})
