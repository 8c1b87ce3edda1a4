import assert from 'node:assert/strict'
import { codeOf, stepAt } from '../../src/capabilities/factors/totp/totp.ts'
import type { Answer, Request, TestGatehouse } from '../gatehouse.ts'
import { passkeyDevice } from '../outside/passkey-device.ts'

export const passkeyOrigin = 'http://localhost:8080'
const ownPage = { 'sec-fetch-site': 'same-origin' }
type Account = { email: string; password: string }

/** What tests of second factors do again and again. `later` moves the clock of Gatehouse. */
export function factorKit(gatehouse: TestGatehouse, clock: { now(): Date; later(ms: number): void }) {
  const { call } = gatehouse

  function login(body: Account & { code?: string }, from = '127.0.0.1', by = call): Promise<Answer> {
    const { email, password, code } = body
    const headers = { 'x-forwarded-for': from }
    return by('POST', '/api/auth/login', { as: '', headers, body: { email, password, ...(code && { code }) } })
  }

  /** An authenticator app, set up for whoever the token is of. */
  async function setUpApp(jwt: string) {
    const begun = await call('POST', '/api/auth/factors/app', { as: jwt })
    assert.equal(begun.status, 200, JSON.stringify(begun.body))
    const secret = base32Bytes(begun.body.secret)
    const code = codeOf(secret, stepAt(clock.now()))
    const confirmed = await call('POST', '/api/auth/factors/app/confirm', { as: jwt, body: { code } })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    /** What it shows a little later, so that it was not used before. */
    const next = () => {
      clock.later(30_000)
      return codeOf(secret, stepAt(clock.now()))
    }
    return { secret, uri: String(begun.body.uri), codes: confirmed.body.recoveryCodes as string[], used: code, next }
  }

  async function addPasskey(jwt: string, device = passkeyDevice(passkeyOrigin), name = 'Laptop') {
    const { options } = (await call('POST', '/api/auth/factors/passkeys/options', { as: jwt })).body
    const credential = device.create(options)
    const added = await call('POST', '/api/auth/factors/passkeys', { as: jwt, body: { name, credential } })
    return { device, added }
  }

  async function challenge(): Promise<{ challenge: string; rpId: string }> {
    const answer = await call('POST', '/api/auth/passkey/options', { as: '' })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.options
  }

  function signInWith(credential: object, from = '192.0.2.200'): Promise<Answer> {
    const headers = { ...ownPage, 'x-forwarded-for': from }
    return call('POST', '/api/auth/passkey', { as: '', headers, body: { credential } })
  }

  /** As the browser that has this cookie. */
  function browse(cookie: string, method: string, path: string, more: Request = {}): Promise<Answer> {
    return call(method, path, { as: '', ...more, headers: { ...ownPage, cookie, ...more.headers } })
  }

  async function openBrowserSession(body: Account & { code?: string }): Promise<string> {
    const { email, password, code } = body
    const answer = await call('POST', '/api/auth/session', {
      as: '',
      headers: ownPage,
      body: { email, password, ...(code && { code }) },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return cookieOf(answer)
  }

  return { login, setUpApp, addPasskey, challenge, signInWith, browse, openBrowserSession }
}

export function cookieOf(answer: Answer): string {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** The other way round from how the server writes it. */
export function base32Bytes(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}
