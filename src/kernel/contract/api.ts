import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Identity } from '../access/identity.ts'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from './endpoint.ts'

/** A file of an upload, there until the request is answered. */
export type ReceivedFile = {
  /** The name the client gave it: a hint, never a place. */
  name: string
  /** The open file it lies in, or memory where the upload is small, unpacked: `bytes` from `start` on. */
  held: number | Uint8Array
  start: number
  bytes: number
  /** SHA-256 of the unpacked content. */
  digest: Buffer
}

/** An answer that is a document of its own, made while it is sent. Between pieces, also empty ones, others have their turn. */
export type Download = { mediaType: string; fileName: string; pieces: Iterable<string> | AsyncIterable<string> }

/**
 * An answer that goes on, as server-sent events. It is asked for text when the client can take more, so that what waits for
 * a slow one is merged where it is made.
 */
export type EventStream = {
  /** What there is to send now; empty for nothing. */
  take(): string
  /** Who sends is told when there is something again, and when it is over. */
  attach(wake: () => void, end: () => void): void
  /** Nobody reads any more. */
  detach(): void
}

/** What a handler gets: the request, read by its contract, and who sent it. */
export type Call<E> = {
  /** Bound to the deployment that the request names. Not there for endpoints without one. */
  actor: Actor
  /** Not there for endpoints that are open to everyone. */
  caller: Identity
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  /** Empty for endpoints that take no upload. */
  files: ReceivedFile[]
  address: string
  /** Scheme and host under which the client reaches us. */
  readonly origin: string
  requestId: string
  /** The path of the endpoint, with the names of its parameters. */
  route: string
  /** The header as it was sent: for endpoints that are open to everyone and look at it themselves. */
  authorization: string | undefined
  /** The body as it was sent, and what it was sent with: for endpoints whose bodies are signed. */
  signed: { bytes: Buffer; headers: IncomingHttpHeaders } | undefined
  /** The header of that name: where a client that reads events goes on. */
  lastEventId: string | undefined
  /** The secret of a browser's session, unread: for the endpoint that puts another one in its place. */
  cookie: string | undefined
  /** The secret of a sign-in that this browser began at a provider, unread. */
  signInCookie: string | undefined
}

/** Where capabilities bind their contracts to use cases. */
export type Api = {
  serve<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema>(
    contract: Endpoint<P, Q, B, R>,
    handler: (call: Call<Endpoint<P, Q, B, R>>) => Promise<Static<R>> | Static<R>,
  ): void
}
