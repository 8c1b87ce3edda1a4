import type { TSchema } from 'typebox'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'

export type FieldRow = { name: string; type: string; optional: boolean; description: string }

type Node = {
  type?: string
  enum?: string[]
  anyOf?: Node[]
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  description?: string
}

/** What the fields of a request's body are fields of. */
export function requestTitle({ upload }: Endpoint): string {
  return upload?.form === 'multipart' ? `Part ${upload.bodyPart}` : 'Request'
}

/** A schema as the rows of a table: one for each field, nested ones with a dotted name. */
export function fieldRows(schema: TSchema): FieldRow[] {
  return rowsOf(schema as Node, '')
}

function rowsOf(node: Node, prefix: string): FieldRow[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix ? `${prefix}.${key}` : key
    const optional = !(node.required ?? []).includes(key)
    const row = { name, type: typeOf(property), optional, description: property.description ?? '' }
    return [row, ...rowsOf(property, name), ...rowsOf(inner(property), `${name}[]`)]
  })
}

function inner(node: Node): Node {
  return node.type === 'array' ? (node.items ?? {}) : {}
}

function typeOf(node: Node): string {
  if (node.anyOf) return node.anyOf.map(typeOf).join(' or ')
  if (node.enum) return node.enum.map((value) => `"${value}"`).join(' | ')
  if (node.type === 'array') return `array of ${typeOf(node.items ?? {})}`
  return node.type ?? 'any'
}
