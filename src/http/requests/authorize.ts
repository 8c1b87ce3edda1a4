import type { Actor } from '../../kernel/access/actor.ts'
import type { Identity } from '../../kernel/access/identity.ts'
import { permitted } from '../../kernel/access/permission.ts'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { Fault } from '../../kernel/contract/fault.ts'

const bearerPattern = /^Bearer +(\S+)$/i
const tokenPattern = /^[A-Za-z0-9._~+/=-]{1,4096}$/

export function isToken(text: string): boolean {
  return tokenPattern.test(text)
}

/** RFC 6750 §2.1. */
export function bearerOf(header: string | undefined): string {
  if (header === undefined) {
    throw new Fault('unauthenticated', 'Send an API token or a JSON Web Token as `Authorization: Bearer <token>`.')
  }
  const token = bearerPattern.exec(header)?.[1]
  if (!token || !isToken(token))
    throw new Fault('unauthenticated', 'The Authorization header is not of the form `Bearer <token>`.', {
      cause: 'form',
    })
  return token
}

export function checkKind(contract: Pick<Endpoint, 'security'>, identity: Identity): void {
  if (contract.security === 'token' && identity.kind !== 'token') {
    throw new Fault('wrong_credential_kind', 'This endpoint takes only an API token.')
  }
  if (contract.security === 'jwt' && identity.kind !== 'jwt') {
    throw new Fault('wrong_credential_kind', 'This endpoint takes only the JSON Web Token of a signed-in user.')
  }
  if (identity.kind === 'token' && !identity.webApi) {
    throw new Fault('web_api_disabled', 'This token was made without Web API access.')
  }
}

/** The caller as an actor in one deployment. A deployment they do not belong to looks exactly like one that does not exist. */
export function actorIn(
  contract: Pick<Endpoint, 'permission'>,
  identity: Identity,
  deploymentId: number,
  requestId: string,
): Actor {
  const role = identity.roles.get(deploymentId)
  if (!role) throw noDeployment(String(deploymentId))
  const permissions = permitted(role, identity.scopes)
  const { permission } = contract
  if (permission !== 'anyone' && permission !== 'authenticated' && !permissions.has(permission)) {
    throw new Fault('forbidden', refusal(identity, role, permission))
  }
  const { personId, tokenId, bound } = identity
  return { deploymentId, personId, tokenId, role, permissions, requestId, ...(bound && { bound }) }
}

/** For clients that name no deployment: the one that their credentials reach. */
export function onlyDeployment({ roles }: Identity): number {
  const [first, ...others] = roles.keys()
  if (first === undefined) throw new Fault('forbidden', 'These credentials reach no deployment.')
  if (others.length > 0) {
    throw new Fault('forbidden', 'These credentials reach several deployments. Use an API token, which reaches one.')
  }
  return first
}

/** The same words for one of others, one that does not exist, and what cannot be the id of one. */
function noDeployment(id: string): Fault {
  return new Fault('not_found', `No deployment ${id}.`)
}

function refusal(identity: Identity, role: string, permission: string): string {
  if (identity.scopes && !identity.scopes.includes(permission)) return `The token lacks the scope '${permission}'.`
  return `The role '${role}' does not have the permission '${permission}'.`
}
