import type { Permission } from '../access/permission.ts'

/** A document that is made of what the server knows, for programs that keep a copy of it. */
export type PublishedFile = {
  mediaType: string
  /** Another one whenever the content is another (RFC 9110 §8.8.3), in its quotes. */
  etag: string
  /** Set where the chunks are packed. */
  encoding?: 'gzip'
  /** Made while they are sent. */
  chunks(): AsyncIterable<Uint8Array>
}

export type PublishedFiles = {
  /** A path with parameters, as the router has it. */
  url: string
  /** 'everyone': without a token, because the operator says so. */
  access: Permission | 'everyone'
  /** Undefined where there is no such file. `encodings` are those that the client takes. */
  find(params: Readonly<Record<string, string>>, encodings: string): Promise<PublishedFile | undefined>
}
