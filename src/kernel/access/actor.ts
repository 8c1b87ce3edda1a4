import { Fault } from '../contract/fault.ts'
import type { BoundSubject } from './bound-subject.ts'
import { type Permission, permitted, type Role } from './permission.ts'

/** Who asks, in which deployment, and under which conditions: what every use case and transaction starts from. */
export type Actor = {
  deploymentId: number
  personId: number
  /** 0 when a signed-in person asks, the token's id when a program does. */
  tokenId: number
  role: Role
  permissions: ReadonlySet<Permission>
  requestId: string
  /** Of a CI job: the one repository and ref that it speaks for. It sees nothing else. */
  bound?: BoundSubject | undefined
  /** The `If-Match` header as it was sent. */
  ifMatch?: string
  /** The `Idempotency-Key` of this request: its transactions happen at most once. */
  idempotencyKey?: IdempotencyKey
  /** Of a request that only reads: what it reads may come from a replica. */
  replica?: ReplicaUse
}

/** One request's use of a replica. What it saw once it must not miss later, so whatever leads away from it leads to the primary. */
export type ReplicaUse = {
  /** What the replica must have, and when that was asked for. */
  position?: Promise<{ lsn: number; timeline: string }>
  askedAt?: number
  /** Which server it read from. */
  server?: string
  left?: true
}

export type IdempotencyKey = {
  key: string
  /** A hash over method, path and body: the same key with another request is refused. */
  fingerprint: string
  /** How many transactions of this request have begun. */
  transactions: number
}

/** For what is done again by a repetition, whatever its Idempotency-Key: its transactions happen each time. */
export function doneEachTime(actor: Actor): Actor {
  const { idempotencyKey: _, ...rest } = actor
  return rest
}

/** Owners and admins see and change everything in their deployment; others what their teams give them. */
export function seesEverything(actor: Actor): boolean {
  return (actor.role === 'owner' || actor.role === 'admin') && !actor.bound
}

/** What gives lasting power takes a person who has signed in: an API token that was lost must not outlive its discovery. */
export function requireSignedInPerson(actor: Actor, what: string): void {
  if (actor.tokenId !== 0) throw new Fault('forbidden', `${what} takes a signed-in person, not an API token.`)
}

/** Whoever could give a token, account or program more than they have would have it by way of that. */
export function requireOwnPermissions(actor: Actor, given: Iterable<Permission>): void {
  const missing = [...given].filter((name) => !actor.permissions.has(name))
  if (missing.length > 0) {
    throw new Fault('forbidden', `You can only give permissions that you have; you lack: ${missing.join(', ')}.`)
  }
}

/** Who does what nobody asked for: jobs, automations, periodic work. The audit log shows it as person 0. */
export function systemActor(deploymentId: number, requestId: string): Actor {
  return { deploymentId, personId: 0, tokenId: 0, role: 'owner', permissions: permitted('owner', undefined), requestId }
}
