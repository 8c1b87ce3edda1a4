import type { Static, TObject, TSchema } from 'typebox'
import type { Permission } from '../access/permission.ts'
import type { FaultCode } from './fault.ts'
import type { Protocol } from './protocol.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Stability = 'experimental' | 'beta' | 'stable'
/** 'token': only an API token; 'jwt': only a signed-in user's JSON Web Token; 'both'; 'none': open to everyone. */
export type Security = 'token' | 'jwt' | 'both' | 'none'

/**
 * A body too large for memory, received into files. 'multipart': a form whose first part, named `bodyPart`, is the JSON
 * that `body` describes, and whose other parts are files. 'document': the body is one file. 'fields': a form whose parts of
 * these names are files, and whose other parts, in any order, are the texts that `body` describes; with `orJson`, the first of
 * the files may also come as an envelope. 'envelope': JSON, one member of which is a file in base64. Files of all forms may be
 * packed with gzip or zstd.
 */
export type UploadForm =
  | { form: 'multipart'; bodyPart: string }
  | { form: 'document' }
  | { form: 'fields'; files: readonly [string, ...string[]]; orJson?: true }
  | { form: 'envelope'; file: string }

/**
 * One operation of the HTTP interface, as data. Validation, serialisation, handler types, openapi.json, the reference
 * and the CLI's calls all come from it.
 */
export type Endpoint<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> = {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly tag: string
  readonly stability: Stability
  /** RFC 9745 and RFC 8594: since when, until when, and what to use instead. */
  readonly deprecated?: { since: string; sunset: string; successor: string }
  readonly security: Security
  /**
   * What the caller needs in the deployment that the path (or, with `deploymentIn: 'body'`, the body) names.
   * 'authenticated': any valid credentials, no deployment. 'anyone': only with security 'none'.
   */
  readonly permission: Permission | 'authenticated' | 'anyone'
  readonly deploymentIn?: 'path' | 'body'
  readonly method: Method
  readonly path: string
  readonly params: P
  readonly query?: Q
  readonly body?: B
  readonly upload?: UploadForm
  /** The sender signs the bytes of the body: the handler gets them, and the headers. */
  readonly signed?: true
  /** The body may also come as an HTML form, as OAuth has it. */
  readonly takesForm?: true
  readonly response: R
  /** The answer is a document of one of these types, sent piece by piece; the handler returns a `Download`. */
  readonly download?: { mediaTypes: readonly string[] }
  /** The document is of server-sent events and goes on until one side ends it; the handler returns an `EventStream`. */
  readonly events?: true
  readonly faults: readonly FaultCode[]
  /**
   * Dangerous, always or with such a body: in the session of a browser it takes a password that was typed within the last five
   * minutes, so that nobody can do it at a desk that somebody left.
   */
  readonly reauthentication?: 'always' | ((body: never) => boolean)
  /**
   * The answer holds a secret. It is never compressed: who can have a guess of theirs put beside it could tell by the length
   * of what goes over the line whether the guess was right.
   */
  readonly answersSecret?: true
  /** The answer begins a session of a browser. Pages of other sites cannot ask for it. */
  readonly opensSession?: true
  /** Also for people who may do nothing else until they have set up the second factor that is required of them. */
  readonly beforeSecondFactor?: true
  /** Of another product, whose clients ask for it as they ask their own server. */
  readonly protocol?: Protocol
  /** After which it is given up; 30 unless it says otherwise. */
  readonly seconds?: number
}

export function endpoint<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema>(
  contract: Endpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return contract
}

export type ParamsOf<E> = E extends { params: infer P extends TSchema } ? Static<P> : never
export type QueryOf<E> = E extends { query?: infer Q } ? (Q extends TSchema ? Static<Q> : Record<never, never>) : never
export type BodyOf<E> = E extends { body?: infer B } ? (B extends TSchema ? Static<B> : undefined) : never
