import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { newRefreshToken } from './refresh-token.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now }, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' } })
})
after(() => gatehouse.close())

const home = '192.0.2.1'
const elsewhere = '198.51.100.1'

const post = (path: string, body: unknown, from: string) =>
  gatehouse.call('POST', path, { as: '', body, headers: { 'x-forwarded-for': from } })
const refresh = (refreshToken: string, from = home) => post('/api/auth/refresh', { refreshToken }, from)
const codeOf = (answer: { status: number; body: { code?: string } }) => answer.body.code ?? answer.status

/** A session, and all the refresh tokens it ever had, oldest first. */
async function session(refreshes: number): Promise<string[]> {
  const { email, password } = gatehouse.owner
  const tokens = [(await post('/api/auth/login', { email, password }, home)).body.refreshToken as string]
  for (let n = 0; n < refreshes; n++) {
    const answer = await refresh(tokens.at(-1)!)
    assert.equal(answer.status, 200)
    tokens.push(answer.body.refreshToken)
  }
  return tokens
}

test('any token that a session ever had ends it when it comes back, however old', async () => {
  for (const old of [0, 1, 2, 3]) {
    const tokens = await session(4)
    now = new Date(now.getTime() + 11_000)
    assert.equal(codeOf(await refresh(tokens[old]!)), 'token_revoked', `token ${old}`)
    assert.equal(codeOf(await refresh(tokens[4]!)), 'token_revoked', `after token ${old}`)
  }
})

test('one that is older than the last ends the session at once, without any grace', async () => {
  const [oldest, , current] = await session(2)
  assert.equal(codeOf(await refresh(oldest!)), 'token_revoked')
  assert.equal(codeOf(await refresh(current!)), 'token_revoked')
})

test('two tabs: the last one within ten seconds, from where it was used, is refused and the session goes on', async () => {
  const [previous, current] = await session(1)
  now = new Date(now.getTime() + 9_000)
  const refused = await refresh(previous!)
  assert.deepEqual([codeOf(refused), refused.body.refreshToken], ['unauthenticated', undefined])
  assert.equal((await refresh(current!)).status, 200)
})

test('from elsewhere it ends the session even within ten seconds', async () => {
  const [previous, current] = await session(1)
  assert.equal(codeOf(await refresh(previous!, elsewhere)), 'token_revoked')
  assert.equal(codeOf(await refresh(current!)), 'token_revoked')
})

test('a thief who was first loses the session too, as soon as its owner refreshes', async () => {
  const [stolen] = await session(0)
  const thief = await refresh(stolen!, elsewhere)
  assert.equal(thief.status, 200)
  assert.equal(codeOf(await refresh(stolen!, home)), 'token_revoked')
  assert.equal(codeOf(await refresh(thief.body.refreshToken, elsewhere)), 'token_revoked')
})

test('what is not a token of ours ends nothing', async () => {
  const [current] = await session(0)
  const bytes = Buffer.from(current!.slice(5), 'base64url')
  const otherFamily = newRefreshToken(randomBytes(32))
  const secondHalf = `gthr_${Buffer.concat([randomBytes(32), bytes.subarray(32)]).toString('base64url')}`
  for (const forged of [otherFamily, secondHalf, current!.slice(0, 50), `${current}x`, 'gthr_', 'x'.repeat(200)])
    assert.equal(codeOf(await refresh(forged)), 'unauthenticated', forged)
  assert.equal((await refresh(current!)).status, 200)
})
