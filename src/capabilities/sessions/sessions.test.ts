import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
})
after(() => gatehouse.close())

const boards = () => `/api/agent/deployments/${gatehouse.owner.deploymentId}/ruleboards`
const open = (path: string, body: unknown) => gatehouse.call('POST', path, { as: '', body })
const login = () => open('/api/auth/login', { email: gatehouse.owner.email, password: gatehouse.owner.password })

test('signing in answers with a token that the published keys verify', async () => {
  const { body } = await login()
  assert.equal(body.expiresIn, 900)
  const jwks = await gatehouse.call('GET', '/.well-known/jwks.json', { as: '' })
  assert.ok(!JSON.stringify(jwks.body).includes('"d"'))
  const { payload } = await jwtVerify(body.accessToken, createLocalJWKSet(jwks.body), { currentDate: now })
  assert.equal(Number(payload.exp) - Number(payload.iat), 900)
  assert.equal((await gatehouse.call('GET', boards(), { as: body.accessToken })).status, 200)
})

test('a wrong password and an unknown address are answered alike', async () => {
  const wrong = await open('/api/auth/login', { email: gatehouse.owner.email, password: 'not the password' })
  const unknown = await open('/api/auth/login', { email: 'nobody@example.com', password: 'not the password' })
  assert.equal(wrong.status, 401)
  const without = (body: object) => ({ ...body, requestId: '' })
  assert.deepEqual(without(wrong.body), without(unknown.body))
})

test('ten failed sign-ins a minute from one address, then 429 even with the right password', async () => {
  now = new Date(now.getTime() + 120_000)
  for (let i = 0; i < 10; i++) {
    assert.equal((await open('/api/auth/login', { email: gatehouse.owner.email, password: 'wrong' })).status, 401)
  }
  const refused = await login()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) <= 60)
  now = new Date(now.getTime() + 61_000)
  assert.equal((await login()).status, 200)
})

test('access tokens live 15 minutes', async () => {
  const { body } = await login()
  now = new Date(now.getTime() + 899_000)
  assert.equal((await gatehouse.call('GET', boards(), { as: body.accessToken })).status, 200)
  now = new Date(now.getTime() + 1_000)
  const answer = await gatehouse.call('GET', boards(), { as: body.accessToken })
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_expired'])
})

test('a refresh token works once; seen again later it ends the session', async () => {
  const { body: first } = await login()
  const second = await open('/api/auth/refresh', { refreshToken: first.refreshToken })
  assert.equal(second.status, 200)
  const tooSoon = await open('/api/auth/refresh', { refreshToken: first.refreshToken })
  assert.deepEqual([tooSoon.status, tooSoon.body.code], [401, 'unauthenticated'])
  now = new Date(now.getTime() + 60_000)
  const stolen = await open('/api/auth/refresh', { refreshToken: first.refreshToken })
  assert.deepEqual([stolen.status, stolen.body.code], [401, 'token_revoked'])
  const ended = await open('/api/auth/refresh', { refreshToken: second.body.refreshToken })
  assert.deepEqual([ended.status, ended.body.code], [401, 'token_revoked'])
})

test('of refreshes at the same moment exactly one succeeds', async () => {
  const { body } = await login()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => open('/api/auth/refresh', { refreshToken: body.refreshToken })),
  )
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
})

test('signing out ends the session within a second', async () => {
  const { body } = await login()
  const out = await gatehouse.call('POST', '/api/auth/logout', { as: body.accessToken })
  assert.deepEqual(out.body, { signedOut: true })
  const deadline = performance.now() + 1_000
  let answer = await gatehouse.call('GET', boards(), { as: body.accessToken })
  while (answer.status === 200 && performance.now() < deadline)
    answer = await gatehouse.call('GET', boards(), { as: body.accessToken })
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_revoked'])
  assert.equal((await open('/api/auth/refresh', { refreshToken: body.refreshToken })).status, 401)
})

test('forged JSON Web Tokens are refused: none, HMAC, a foreign key, another audience, a changed body', async () => {
  const { body } = await login()
  const { kid } = decodeProtectedHeader(body.accessToken)
  const [, payload, signature] = body.accessToken.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwks = await gatehouse.call('GET', '/.well-known/jwks.json', { as: '' })
  const hmac = (alg: string, key: string | Buffer) => {
    const head = encode({ alg, kid, typ: 'at+jwt' })
    return `${head}.${payload}.${createHmac('sha256', key).update(`${head}.${payload}`).digest('base64url')}`
  }
  const foreign = generateKeyPairSync('ed25519').privateKey
  const sign = (change: object, header: object = {}) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg: 'EdDSA', kid: kid!, typ: 'at+jwt', ...header })
      .sign(foreign)
  const forged: Record<string, string> = {
    none: `${encode({ alg: 'none', kid, typ: 'at+jwt' })}.${payload}.`,
    'none with a signature': `${encode({ alg: 'none', kid, typ: 'at+jwt' })}.${payload}.${signature}`,
    'HS256 with the public key': hmac('HS256', Buffer.from(jwks.body.keys[0].x, 'base64url')),
    'HS256 with the key set': hmac('HS256', JSON.stringify(jwks.body.keys[0])),
    'a foreign key under our id': await sign({}),
    'a foreign key in its own header': await sign({}, { jwk: foreign.export({ format: 'jwk' }) }),
    'no key id': await sign({}, { kid: undefined }),
    'a changed body': `${body.accessToken.split('.')[0]}.${encode({ ...claims, sub: '2' })}.${signature}`,
  }
  for (const [name, token] of Object.entries(forged)) {
    const answer = await gatehouse.call('GET', boards(), { as: token })
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated'], name)
  }
})

test('a token signed by us for another audience, issuer or type is refused', async () => {
  const { body } = await login()
  const header = decodeProtectedHeader(body.accessToken)
  const claims = JSON.parse(Buffer.from(body.accessToken.split('.')[1], 'base64url').toString())
  const key = await gatehouse.signingKeys.current()
  const sign = (change: object, more: object = {}) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg: 'EdDSA', kid: header.kid!, typ: 'at+jwt', ...more })
      .sign(key.privateKey)
  assert.equal((await gatehouse.call('GET', boards(), { as: await sign({}) })).status, 200)
  for (const [name, token] of Object.entries({
    audience: await sign({ aud: 'somebody-else' }),
    issuer: await sign({ iss: 'somebody-else' }),
    type: await sign({}, { typ: 'JWT' }),
    'no expiry': await sign({ exp: undefined }),
    'no session': await sign({ sid: undefined }),
  })) {
    assert.equal((await gatehouse.call('GET', boards(), { as: token })).status, 401, name)
  }
})

test('another process accepts the same tokens and sees the same revocation', async () => {
  const second = await gatehouse.anotherProcess()
  try {
    const { body } = await login()
    const ask = () => second.call('GET', boards(), { as: body.accessToken })
    assert.equal((await ask()).status, 200)
    await gatehouse.call('POST', '/api/auth/logout', { as: body.accessToken })
    const deadline = performance.now() + 1_000
    let answer = await ask()
    while (answer.status === 200 && performance.now() < deadline) answer = await ask()
    assert.equal(answer.status, 401)
  } finally {
    await second.close()
  }
})
