import type { FastifyRequest } from 'fastify'
import type { Authenticator, BrowserAuthenticator, Identity } from '../../kernel/access/identity.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { type OwnOrigin, refuseOtherSites, requireOwnPage } from '../console/same-origin.ts'
import type { SessionCookie } from '../console/session-cookie.ts'
import { bearerOf, isToken } from './authorize.ts'

export type CredentialOptions = {
  authenticate: Authenticator
  authenticateBrowser: BrowserAuthenticator
  /** What was known about a credential is looked up again when it comes again. */
  forget: (bearer: string) => void
  forgetBrowser: (secret: string) => void
  cookie: SessionCookie
  /** Of sign-ins that go through a provider. */
  signInCookie: SessionCookie
  ownOrigin: OwnOrigin
}

export type Credentials = ReturnType<typeof createCredentials>

/** Whose a request is: by its Authorization header, or where there is none by the cookie of a browser's session. */
export function createCredentials(options: CredentialOptions) {
  const { cookie, signInCookie, ownOrigin } = options

  async function identify(request: FastifyRequest, settingUp = false): Promise<Identity> {
    const secret = secretOf(request)
    if (secret === undefined) return options.authenticate(bearerOf(request.headers.authorization), settingUp)
    requireOwnPage(request, ownOrigin)
    return options.authenticateBrowser(secret, settingUp)
  }

  /** Of a client of another product, which has its own place for a token. It is no browser, so no cookie counts. */
  async function identifyToken(token: string | undefined): Promise<Identity> {
    if (!token) throw new Fault('unauthenticated', 'Send an API token of Gatehouse where this client sends its key.')
    if (!isToken(token)) throw new Fault('unauthenticated', 'This is not an API token of Gatehouse.', { cause: 'form' })
    return options.authenticate(token)
  }

  /** A header that is there counts alone, even a wrong one: a request is never somebody else's than its sender meant. */
  function secretOf({ headers }: FastifyRequest): string | undefined {
    return headers.authorization === undefined ? cookie.read(headers.cookie) : undefined
  }

  function forget(request: FastifyRequest): void {
    const secret = secretOf(request)
    if (secret === undefined) options.forget(bearerOf(request.headers.authorization))
    else options.forgetBrowser(secret)
  }

  /** The cookie that a sign-in puts another one in place of, if there is one. */
  function replacedCookie(request: FastifyRequest): string | undefined {
    refuseOtherSites(request, ownOrigin)
    const secret = cookie.read(request.headers.cookie)
    if (secret !== undefined) requireOwnPage(request, ownOrigin)
    return secret
  }

  return { identify, identifyToken, forget, replacedCookie, cookie, signInCookie }
}
