import type { Actor } from '../../access/actor.ts'
import type { Permission } from '../../access/permission.ts'

/** A message of a client of the Model Context Protocol, by whoever its token belongs to. */
export type McpRequest = {
  /** Of the deployment that the token is of; no other can be named. */
  actor: Actor
  /** One JSON-RPC message, unread. */
  body: unknown
  /** The headers that repeat parts of the message, as they were sent. */
  headers: { version: string | undefined; method: string | undefined; name: string | undefined }
}

/** Without a body where the message asked for no answer. */
export type McpAnswer = { status: number; body?: object }

export type McpAdapter = {
  /** The permissions that its tools take: what a program should ask for. */
  scopes: readonly Permission[]
  answer(request: McpRequest): Promise<McpAnswer>
}
