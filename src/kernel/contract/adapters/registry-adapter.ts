import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Actor } from '../../access/actor.ts'

/** A request that speaks the protocol of somebody else's clients, such as that of a package registry. */
export type RegistryRequest = {
  method: string
  /** What follows the path of the adapter, as it was sent: not decoded, without query. */
  path: string
  query: string
  headers: IncomingHttpHeaders
  /** Empty where there is none. */
  body: AsyncIterable<Buffer>
  actor: Actor
  /** Where it comes from, for the record: as the client calls itself, and its address. */
  client: { agent: string; address: string }
  /** Scheme, host and path under which the client reached the adapter, without a slash at its end. */
  base: string
  /** Tells a client that waits for long that it is not forgotten. */
  reassure(): void
}

export type RegistryResponse = {
  status: number
  headers: Record<string, string>
  /** With a stream, the headers say how long it is. */
  body: Buffer | string | Readable
}

export type RegistryAdapter = {
  /** With `:deploymentId` in it, without a slash at its end. */
  path: string
  /** Whether its clients print the text of a refusal as it is: it is plain text then, a sentence a line. */
  plainRefusals?: boolean
  answer(request: RegistryRequest): Promise<RegistryResponse> | RegistryResponse
}
