import type { Actor } from '../../access/actor.ts'

/** A request of a directory (RFC 7644), by whoever its token belongs to. */
export type ScimRequest = {
  method: string
  /** The parts of the path behind `/scim/v2`, decoded. */
  path: string[]
  query: URLSearchParams
  /** Undefined where there is none. */
  body: unknown
  /** Of the deployment that the token is of; no other can be named. */
  actor: Actor
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
  /** Where the directory reaches us, with `/scim/v2` and without a slash at its end. */
  base: string
}

export type ScimAnswer = { status: number; headers?: Record<string, string>; body?: object }

export type ScimAdapter = {
  answer(request: ScimRequest): Promise<ScimAnswer>
  /** How it went, for whoever looks after the deployment. */
  note(actor: Actor, outcome: { method: string; path: string; status: number; detail: string }): Promise<void>
}
