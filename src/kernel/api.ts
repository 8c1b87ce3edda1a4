import type { Static, TObject, TSchema } from 'typebox'
import type { Actor } from './actor.ts'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from './endpoint.ts'
import type { Identity } from './identity.ts'

/** What a handler gets: the request, read by its contract, and who sent it. */
export type Call<E> = {
  /** Bound to the deployment that the request names. Not there for endpoints without one. */
  actor: Actor
  /** Not there for endpoints that are open to everyone. */
  caller: Identity
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  address: string
  requestId: string
}

/** Where capabilities bind their contracts to use cases. */
export type Api = {
  serve<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema>(
    contract: Endpoint<P, Q, B, R>,
    handler: (call: Call<Endpoint<P, Q, B, R>>) => Promise<Static<R>> | Static<R>,
  ): void
}
