import Type, { type TObject, type TObjectOptions, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import { trimBoth, trimEnd } from '../text/trim.ts'

/** Gives a schema the name it has in openapi.json, where every use of it is a reference. At run time nothing changes. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return Object.assign(schema, { 'x-name': name })
}

/** An object with such a name. */
export function NamedObject<P extends TProperties>(
  name: string,
  properties: P,
  options: TObjectOptions = {},
): TObject<P> {
  return named(name, Type.Object(properties, options))
}

/** An object that the document shows as one of another name, which differs so little that it is not said twice. */
export function documentedAs<P extends TProperties>(name: string, properties: P, options: TObjectOptions): TObject<P> {
  return Type.Object(properties, { ...options, 'x-like': name })
}

/** An object that comes with a version: an answer that is one, or that has one and nothing else, has an `ETag`. */
export function VersionedObject<P extends TProperties>(name: string, properties: P): TObject<P> {
  return NamedObject(name, properties, { 'x-versioned': true })
}

/** Pieces that the contracts share. Every string is bounded. */
export const Id = named(
  'Id',
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Numeric identifier' }),
)

/** An id that the interface writes as a string of digits; a JSON number is taken too. */
export const IdString = named(
  'IdString',
  Type.String({
    pattern: '^[0-9]{1,16}$',
    'x-digits': true,
    description: 'Numeric identifier, as a string',
  }),
)

/** Such an id in a path or a query. Handlers get the number. */
export const IdParameter = named(
  'IdString',
  Type.Unsafe<number>({
    type: 'string',
    pattern: '^[0-9]{1,16}$',
    'x-number': Number.MAX_SAFE_INTEGER,
    description: 'Numeric identifier, as a string',
  }),
)

/** An id in a path that some answers write as a number and others, which the interface gives, as a string. */
export const AnyId = named(
  'AnyId',
  Type.Unsafe<number>({ anyOf: [Id, IdString], description: 'Numeric identifier, as a number or as a string' }),
)

export const Name = named(
  'Name',
  Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Shown name' }),
)
export const Slug = named(
  'Slug',
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'Stable name in a URL: lower-case letters, digits and single hyphens',
  }),
)
// Code hosts take more than one would think: projects of Azure DevOps have spaces, brackets and letters of any script.
const nameCharacters = "[\\p{L}\\p{M}\\p{N}._@+~!&'()-]+"
export const RepositoryName = named(
  'RepositoryName',
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: `^${nameCharacters}([ /]${nameCharacters})*$`,
    description: 'Name of a repository, for example group/project',
  }),
)
export const Email = named(
  'Email',
  Type.String({
    minLength: 3,
    maxLength: 254,
    pattern: '^[^\\s@]+@[^\\s@]+$',
    description: 'E-mail address',
  }),
)
export const Timestamp = named(
  'Timestamp',
  Type.String({ format: 'date-time', description: 'RFC 3339 date-time, UTC' }),
)
export const Count = named('Count', Type.Integer({ minimum: 0, description: 'A count' }))
export const CountString = named(
  'CountString',
  Type.String({ pattern: '^[0-9]+$', description: 'A count, as a string' }),
)

export const DeploymentParams = Type.Object({ deploymentId: AnyId })

/** One of a fixed set of names, documented as a string. */
export function OneOf<const T extends readonly string[]>(values: T, description: string): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values, description })
}

export function OrNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** Slug of a name: what remains of it in lower-case ASCII. Empty where nothing does. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return trimEnd(trimBoth(words, '-').slice(0, 80), '-')
}
