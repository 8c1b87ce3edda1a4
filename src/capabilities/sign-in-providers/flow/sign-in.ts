import * as openid from 'openid-client'
import type { Logger } from 'pino'
import type { Identity } from '../../../kernel/access/identity.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { findAccountById } from '../../people/public.ts'
import { type BrowserSession, hashOfCookie } from '../../sessions/public.ts'
import type { OpenIdClients } from '../issuer/openid-client.ts'
import { ProviderProblem, problemOf } from '../issuer/provider-problem.ts'
import type { Admissions, Recognised } from '../membership/admission.ts'
import type { ProviderAddresses } from '../provider-addresses.ts'
import type { SignInProviderService } from '../service.ts'
import * as providers from '../store.ts'
import { addressOf, type Claims, groupsOf, nameIn } from './claims.ts'
import { derivedFrom, hashOfFlow, newFlowSecret } from './flow-secret.ts'
import * as flows from './flow-store.ts'
import { returnPath } from './return-path.ts'

const flowSeconds = 600
// How far the clocks of a provider and ours may be apart.
const skewMs = 60_000

type Origin = { address: string; requestId: string }

/** Begins the session of a browser for somebody who has been recognised. */
export type OpenSession = (
  proven: {
    personId: number
    provider: { id: number; name: string }
    subject: string
    sid: string | undefined
    confirmedAt: Date
    replacedHash: Buffer | undefined
  },
  origin: Origin,
) => Promise<{ secret: string; seconds: number; session: BrowserSession }>

export type ProviderSignInOptions = {
  db: Database
  clock: Clock
  log: Logger
  clients: OpenIdClients
  addresses: ProviderAddresses
  admissions: Admissions
  openSecret: SignInProviderService['openSecret']
  openSession: OpenSession
}

export type ProviderSignIn = ReturnType<typeof createProviderSignIn>

/** The authorization code flow of OpenID Connect Core 1.0 §3.1, with PKCE (RFC 7636), state, nonce and issuer (RFC 9207). */
export function createProviderSignIn(options: ProviderSignInOptions) {
  const { db, clock, log, clients, addresses, admissions, openSecret, openSession } = options
  const anybody = { query: db.identityQuery }

  async function buttons(domain: string | undefined) {
    const found = await providers.listPublic(anybody, (domain ?? '').toLowerCase())
    return { providers: found.map(({ id, name }) => ({ id, name })) }
  }

  async function start(
    providerId: number,
    wanted: { returnTo?: string; confirms?: boolean },
    replaced: string | undefined,
    requestId: string,
  ) {
    const found = await providers.findPublic(anybody, providerId)
    if (!found) throw new Fault('not_found', `No sign-in provider ${providerId}.`)
    const provider = await whole(found.deploymentId, providerId)
    const confirms = wanted.confirms ?? false
    const secret = newFlowSecret()
    const { state, nonce, codeVerifier } = derivedFrom(secret)
    const config = await told(provider, requestId, () => configured(found.deploymentId, provider))
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: addresses.redirectUri(providerId),
      scope: ['openid', ...provider.scopes.filter((scope) => scope !== 'openid')].join(' '),
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(confirms && { prompt: 'login', max_age: '0' }),
    })
    await flows.insert(anybody, {
      secretHash: hashOfFlow(secret)!,
      deploymentId: found.deploymentId,
      providerId,
      returnTo: returnPath(wanted.returnTo),
      confirms,
      replacedHash: (replaced !== undefined && hashOfCookie(replaced)) || null,
      expiresAt: new Date(clock.now().getTime() + flowSeconds * 1000),
    })
    return { url: url.href, cookie: { secret, seconds: flowSeconds } }
  }

  async function finish(providerId: number, parameters: string, secret: string | undefined, origin: Origin) {
    const flow = await takeFlow(secret)
    // Each provider has its own way back: one cannot answer for another.
    if (!flow || flow.providerId !== providerId || flow.proved) throw notBegun()
    const { deploymentId, returnTo } = flow
    const provider = await whole(deploymentId, providerId)
    const { requestId } = origin
    const home = { deploymentId, provider, requestId }
    return told(provider, requestId, async () => {
      const config = await configured(deploymentId, provider)
      const { claims, who } = await redeem(config, provider, parameters, secret!)
      const confirmedAt = confirmation(claims, flow, config.serverMetadata())
      const admission = await admissions.admit(who, home)
      const answer = { returnTo, provider: provider.name, email: who.email }
      if (admission === 'confirm') {
        const { isVerified: _, ...proof } = who
        await flows.keepProof(anybody, flow, { ...proof, issuer: provider.issuer })
        return { answer: { ...answer, outcome: 'confirm' as const, session: null }, opened: undefined }
      }
      const { personId } = admission
      const sid = nameIn(claims.sid)
      const replacedHash = flow.replacedHash ?? undefined
      const began = { personId, provider: { id: providerId, name: provider.name }, subject: who.subject, sid }
      const opened = await openSession({ ...began, confirmedAt, replacedHash }, origin)
      return { answer: { ...answer, outcome: 'signed-in' as const, session: opened.session }, opened }
    })
  }

  /** By the owner of the account, who has signed in to it in the browser where the provider's word is kept. */
  async function confirm(caller: Identity, secret: string | undefined, requestId: string) {
    const flow = await takeFlow(secret)
    if (!flow?.proved) throw notBegun()
    // What another provider says is no word of the owner.
    if (caller.browser?.provider) throw new Fault('forbidden', 'Sign in with your password to confirm this.')
    const account = await db.identity((tx) => findAccountById(tx, caller.personId))
    if (account?.email.toLowerCase() !== flow.proved.email.toLowerCase()) {
      throw new Fault(
        'forbidden',
        `The provider vouches for another address: sign in as ${flow.proved.email}, then begin again.`,
      )
    }
    const { deploymentId, providerId } = flow
    const provider = await whole(deploymentId, providerId)
    if (provider.issuer !== flow.proved.issuer) throw notBegun()
    const who: Recognised = { ...flow.proved, isVerified: true }
    await told(provider, requestId, () =>
      admissions.linkConfirmed(caller.personId, who, { deploymentId, provider, requestId }),
    )
    return { deploymentId, returnTo: flow.returnTo }
  }

  async function takeFlow(secret: string | undefined): Promise<flows.Flow | undefined> {
    const hash = secret === undefined ? undefined : hashOfFlow(secret)
    const flow = hash && (await flows.take(anybody, hash))
    return flow && flow.expiresAt > clock.now() ? flow : undefined
  }

  async function whole(deploymentId: number, id: number): Promise<providers.ProviderWithSecret> {
    const found = await providers.findWithSecret(db.as({ deploymentId }), id)
    if (!found) throw new Fault('not_found', `No sign-in provider ${id}.`)
    return found
  }

  async function configured(deploymentId: number, provider: providers.ProviderWithSecret) {
    return clients.configure({ ...provider, clientSecret: await openSecret(deploymentId, provider) })
  }

  async function redeem(
    config: openid.Configuration,
    provider: providers.ProviderRow,
    parameters: string,
    secret: string,
  ): Promise<{ claims: Claims; who: Recognised }> {
    const { state, nonce, codeVerifier } = derivedFrom(secret)
    const url = new URL(addresses.redirectUri(provider.id))
    url.search = parameters
    const tokens = await openid.authorizationCodeGrant(config, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    })
    const claims: Claims = tokens.claims()!
    const all = await withUserInfo(config, provider, tokens.access_token, claims)
    const subject = nameIn(claims.sub)
    if (subject === undefined) throw new ProviderProblem('It gives you no subject.')
    const groups = groupsOf(all, provider.groupsClaim)
    return { claims, who: { subject, groups, ...addressOf(all, provider.emailsAreVerified) } }
  }

  /** Some put into the ID token only who it is about; the rest is asked for, and has to be about the same (§5.3.2). */
  async function withUserInfo(
    config: openid.Configuration,
    { groupsClaim }: providers.ProviderRow,
    accessToken: string,
    claims: Claims,
  ): Promise<Claims> {
    const isEnough = claims.email !== undefined && (groupsClaim === '' || groupsOf(claims, groupsClaim).length > 0)
    if (isEnough || !config.serverMetadata().userinfo_endpoint) return claims
    return { ...(await openid.fetchUserInfo(config, accessToken, String(claims.sub))), ...claims }
  }

  /** When the person last proved who they are. */
  function confirmation({ auth_time: said }: Claims, flow: flows.Flow, about: openid.ServerMetadata): Date {
    const at = typeof said === 'number' ? new Date(said * 1000) : undefined
    if (!flow.confirms) return at && at < clock.now() ? at : new Date(0)
    // OpenID Connect Core 1.0 §2: it has to come where max_age was asked for. Whoever sits at the browser can take that out of the
    // address, and then a provider that keeps them signed in asks nothing. Some never say it (Google), nor that they could.
    if (!at && about.claims_supported?.includes('auth_time'))
      throw new ProviderProblem('It does not say when it last asked you who you are (auth_time).')
    const begun = flow.expiresAt.getTime() - flowSeconds * 1000
    if (at && at.getTime() < begun - skewMs) throw new ProviderProblem('It did not ask you again who you are.')
    return clock.now()
  }

  /** What the provider did wrong becomes a sentence with its name; the log gets the same, and nothing that was sent. */
  async function told<T>({ id, name }: providers.ProviderRow, requestId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Fault) throw error
      const { message, isOutage } = problemOf(error)
      log.info({ requestId, provider: id, why: message }, 'a sign-in at a provider did not succeed')
      if (isOutage) throw new Fault('unavailable', `${name} cannot be used right now. ${message}`)
      throw new Fault('forbidden', `You were not signed in by ${name}. ${message}`)
    }
  }

  return { buttons, start, finish, confirm }
}

function notBegun(): Fault {
  return new Fault(
    'forbidden',
    'This sign-in was not begun in this browser, or more than ten minutes ago. Begin again.',
  )
}
