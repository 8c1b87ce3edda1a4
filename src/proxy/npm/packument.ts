import type { ReleaseFacts } from '../../capabilities/firewall/rules/release-facts.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { type Digest, digestOf, parseIntegrity } from '../cache/digest.ts'
import { parsedJson } from '../parsed-json.ts'
import { packumentFacts } from './release-facts.ts'

export const forms = ['abbreviated', 'full'] as const
export type Form = (typeof forms)[number]

export const abbreviatedType = 'application/vnd.npm.install-v1+json'

/** What the proxy needs to know of a packument, npm's document on all versions of a package. */
export type Packument = {
  versions: ReadonlyMap<string, PackumentVersion>
  latest: string | undefined
  /** It is the full form, which alone has all that rules may ask. */
  isFull: boolean
}

export type PackumentVersion = {
  tarball: string
  digest: Digest | undefined
  publishedAt: Date | undefined
  /** Only the full form has it. */
  licence: string | undefined
  facts: ReleaseFacts | undefined
}

export type RawPackument = {
  name?: unknown
  versions: Record<string, RawVersion>
  'dist-tags'?: Record<string, unknown>
  time?: Record<string, unknown>
}
type RawVersion = {
  deprecated?: unknown
  license?: unknown
  dist?: { tarball?: unknown; integrity?: unknown; shasum?: unknown } & Record<string, unknown>
}

/**
 * Throws a Fault where the upstream sent something else. `asked`: the form that it was asked for, and what it calls its answer. Many send the
 * full form whatever they are asked for; Verdaccio puts the times into the abbreviated one, and that says no more for it.
 */
export function readPackument(body: Buffer, name: string, asked: { form: Form; contentType: string }): Packument {
  const raw = parsePackument(body, name)
  const time = isObject(raw.time) ? raw.time : undefined
  const isFull = asked.form === 'full' || (time !== undefined && !asked.contentType.startsWith(abbreviatedType))
  const facts = isFull ? packumentFacts(raw, name) : undefined
  const versions = new Map<string, PackumentVersion>()
  for (const [version, { dist, license }] of Object.entries(raw.versions)) {
    const tarball = typeof dist?.tarball === 'string' ? dist.tarball : ''
    const publishedAt = dateIn(time?.[version])
    const details = { publishedAt, licence: licenceIn(license), facts: facts?.get(version) }
    versions.set(version, { tarball, digest: digestIn(dist), ...details })
  }
  const latest = raw['dist-tags']?.latest
  return { versions, latest: typeof latest === 'string' ? latest : undefined, isFull }
}

/** Known to have versions, each an object, and so is its `dist` where it has one. */
export function parsePackument(body: Buffer, name: string): RawPackument {
  const raw = parsedJson(body, `What the registry sent for ${name}`, () => unreadable(name))
  if (isObject(raw) && isUnpublished(raw)) raw.versions = {}
  if (!isObject(raw) || !isObject(raw.versions) || !Object.values(raw.versions).every(isVersion)) throw unreadable(name)
  if (raw.name !== undefined && raw.name !== name) throw unreadable(name)
  if (raw['dist-tags'] !== undefined && !isObject(raw['dist-tags'])) throw unreadable(name)
  return raw as RawPackument
}

/** How npm's registry describes a package that was unpublished as a whole. */
function isUnpublished({ versions, time }: Record<string, unknown>): boolean {
  return versions === undefined && isObject(time) && isObject(time.unpublished)
}

function isVersion(value: unknown): boolean {
  return isObject(value) && (value.dist === undefined || value.dist === null || isObject(value.dist))
}

function digestIn(dist: RawVersion['dist']): Digest | undefined {
  const integrity = typeof dist?.integrity === 'string' ? parseIntegrity(dist.integrity) : undefined
  return integrity ?? (typeof dist?.shasum === 'string' ? digestOf('sha1', dist.shasum) : undefined)
}

const longestLicence = 200

/** An expression, or, as it was written before there were expressions, an object with a type. */
function licenceIn(value: unknown): string | undefined {
  const text = isObject(value) ? value.type : value
  return typeof text === 'string' && text !== '' ? text.slice(0, longestLicence) : undefined
}

function dateIn(value: unknown): Date | undefined {
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(name: string): Fault {
  return new Fault('bad_upstream', `What the registry sent for ${name} is not its metadata.`)
}
