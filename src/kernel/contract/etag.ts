import type { TSchema } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { Fault } from './fault.ts'

/** Carries a resource's version beside its wire shape, for the `ETag` header, without being part of it. */
const tag = Symbol('version')

export function withVersion<T extends object>(resource: T, version: number): T {
  return Object.defineProperty(resource, tag, { value: version, enumerable: false })
}

/** The version of a response body, or of the one resource that the body wraps. */
export function versionOf(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const own = (body as { [tag]?: number })[tag]
  if (own !== undefined) return own
  const values = Object.values(body)
  return values.length === 1 ? (values[0] as { [tag]?: number } | null)?.[tag] : undefined
}

/** Whether answers of this schema have a version; the same question as `versionOf`, asked of the contract. */
export function hasVersion(schema: TSchema): boolean {
  const node = schema as { 'x-versioned'?: true; properties?: Record<string, { 'x-versioned'?: true }> }
  const inner = Object.values(node.properties ?? {})
  return Boolean(node['x-versioned'] ?? (inner.length === 1 && inner[0]!['x-versioned']))
}

/** RFC 9110 §13.1.1: with `If-Match`, a change happens only to the version the caller has seen. */
export function requireVersion(actor: Actor, current: number): void {
  if (actor.ifMatch === undefined || actor.ifMatch.trim() === '*') return
  const tags = actor.ifMatch.split(',').map((entry) => entry.trim())
  if (tags.includes(`"${current}"`)) return
  throw new Fault('precondition_failed', `It has changed: its version is "${current}" now. Read it again, then decide.`)
}
