import type { BoundSubject } from './bound-subject.ts'
import type { Role } from './permission.ts'

/** Who the credentials of a request belong to. */
export type Identity = {
  kind: 'token' | 'jwt'
  personId: number
  /** 0 for a signed-in person. */
  tokenId: number
  sessionId: string
  /** Only for the session of a browser, where what is dangerous asks for the password again. */
  browser?: BrowserSession
  /** May create deployments. */
  operator: boolean
  /** The role in each deployment the credentials reach. An API token reaches one. */
  roles: ReadonlyMap<number, Role>
  /** The permissions a token was narrowed to; undefined: all of the role. */
  scopes: readonly string[] | undefined
  webApi: boolean
  /** Signed in with less than is required of them: they may set up a second factor and nothing else. */
  mustSetUpFactor?: boolean
  /** Of a CI job: what its token speaks for. */
  bound?: BoundSubject | undefined
  /** What the token is good for, and nothing else; undefined: for everything. */
  audience?: Audience
}

/** A resource that tokens can be narrowed to (RFC 8707). */
export type Audience = 'mcp'

/** For so long after the password was typed what is dangerous does not ask for it again. */
export const confirmedForMs = 5 * 60_000

/** When it ends, when it ends unused, when its person last proved who they are, and at which provider it began. */
export type BrowserSession = {
  expiresAt: Date
  idleExpiresAt: Date
  confirmedAt: Date
  /** Null: it began with a password. */
  provider: { id: number; name: string } | null
}

/** Whether the operator of the machine asks, with all they may do: a token that was narrowed does not speak for them. */
export function actsAsOperator({ operator, scopes, webApi }: Identity): boolean {
  return operator && webApi && scopes === undefined
}

/** How the sessions of browsers are looked up, by the secret in their cookie. `settingUp` as for bearer credentials. */
export type BrowserAuthenticator = (secret: string, settingUp?: boolean) => Promise<Identity>

/**
 * Finds out whose a bearer credential is, or throws a Fault that says what is wrong with it. Whoever lacks a required second factor
 * is refused, but for what sets one up (`settingUp`). A token for one resource is refused by all that is not that `audience`.
 */
export type Authenticator = (bearer: string, settingUp?: boolean, audience?: Audience) => Promise<Identity>
