import type { Role } from './permission.ts'

/** Who the credentials of a request belong to. */
export type Identity = {
  kind: 'token' | 'jwt'
  personId: number
  /** 0 for a signed-in person. */
  tokenId: number
  sessionId: string
  /** May create deployments. */
  operator: boolean
  /** The role in each deployment the credentials reach. An API token reaches one. */
  roles: ReadonlyMap<number, Role>
  /** The permissions a token was narrowed to; undefined: all of the role. */
  scopes: readonly string[] | undefined
  webApi: boolean
}

/** Whether the operator of the machine asks, with all they may do: a token that was narrowed does not speak for them. */
export function actsAsOperator({ operator, scopes, webApi }: Identity): boolean {
  return operator && webApi && scopes === undefined
}

/** Finds out whose a bearer credential is, or throws a Fault that says what is wrong with it. */
export type Authenticator = (bearer: string) => Promise<Identity>
