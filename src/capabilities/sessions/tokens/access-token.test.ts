import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { systemClock } from '../../../kernel/time/clock.ts'
import { createAccessTokens } from './access-token.ts'

test('only EdDSA is taken, whatever kind of key the id of a token leads to', async () => {
  const secret = createSecretKey(randomBytes(32))
  const never = () => Promise.reject(new Error('not asked for'))
  const keys = { current: never, find: async () => secret, publicKeys: async () => [], rotate: never }
  const token = await new SignJWT({ sid: 's' })
    .setProtectedHeader({ alg: 'HS256', kid: 'k', typ: 'at+jwt' })
    .setIssuer('gatehouse')
    .setAudience('gatehouse-api')
    .setSubject('1')
    .setExpirationTime('5 minutes')
    .sign(secret)
  await assert.rejects(createAccessTokens(keys, systemClock).verify(token), { code: 'unauthenticated' })
})
