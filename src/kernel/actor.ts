import type { Permission, Role } from './permission.ts'

/** Who asks, in which deployment, and under which conditions: what every use case and transaction starts from. */
export type Actor = {
  deploymentId: number
  personId: number
  /** 0 when a signed-in person asks, the token's id when a program does. */
  tokenId: number
  role: Role
  permissions: ReadonlySet<Permission>
  requestId: string
  /** The `If-Match` header as it was sent. */
  ifMatch?: string
  /** The `Idempotency-Key` of this request: its transactions happen at most once. */
  once?: Once
}

export type Once = {
  key: string
  /** A hash over method, path and body: the same key with another request is refused. */
  fingerprint: string
  /** How many transactions of this request have begun. */
  transactions: number
}

/** Owners and admins see and change everything in their deployment; others what their teams give them. */
export function seesEverything(actor: Actor): boolean {
  return actor.role === 'owner' || actor.role === 'admin'
}
