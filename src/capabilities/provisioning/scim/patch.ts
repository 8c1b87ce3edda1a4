import { ScimFault } from './scim-fault.ts'

/** One thing to do to one attribute. `path` is in lower case, without a schema; `chosen` is what its filter compares with. */
export type Change = { op: 'add' | 'replace' | 'remove'; path: string; chosen?: string; value: unknown }

const mostOperations = 1_000
const form =
  /^([A-Za-z$][\w$-]*)(?:\[\s*([A-Za-z]\w*)\s+eq\s+("(?:[^"\\]|\\.){0,500}"|true|false)\s*\])?(?:\.([A-Za-z$]\w*))?$/i
const ownSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i
const anySchema = /^urn:[\w:.-]{1,200}$/i

/**
 * RFC 7644 §3.5.2, as it is really sent: operations in capitals (Entra ID), without a path and with the attributes in the value
 * (Okta, Entra ID), with dots in the names of these. Extensions of the schema, which are not kept, are passed over.
 */
export function readPatch(body: unknown): Change[] {
  const operations = fieldOf(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimFault('invalidSyntax', 'A PATCH needs a list `Operations` with at least one entry.')
  }
  if (operations.length > mostOperations) {
    throw new ScimFault('invalidSyntax', `A PATCH may have at most ${mostOperations} operations.`)
  }
  return operations.flatMap(changesOf)
}

/** The members of an object are found whatever case they are written in (RFC 7643 §2.1). */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const key = Object.keys(value).find((each) => each.toLowerCase() === name)
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}

function changesOf(operation: unknown): Change[] {
  const op = String(fieldOf(operation, 'op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw new ScimFault('invalidSyntax', 'The `op` of an operation is add, replace or remove.')
  }
  const path = fieldOf(operation, 'path')
  const value = fieldOf(operation, 'value')
  if (typeof path === 'string' && path !== '') return changeAt(op, path, value)
  if (op === 'remove') throw new ScimFault('invalidPath', 'To remove something takes a `path`.')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScimFault('invalidValue', 'Without a `path`, the `value` is an object of attributes.')
  }
  return Object.entries(value).flatMap(([name, each]) => changeAt(op, name, each))
}

function changeAt(op: Change['op'], text: string, value: unknown): Change[] {
  const own = text.trim().replace(ownSchema, '')
  if (/^urn:/i.test(own)) {
    if (anySchema.test(own)) return []
    throw malformed(text)
  }
  const found = form.exec(own)
  if (!found) throw malformed(text)
  const [, attribute, filtered, literal, sub] = found
  const path = [attribute, sub].filter(Boolean).join('.').toLowerCase()
  // Objects are their parts: { name: { givenName } } is name.givenName.
  if (path === 'name' && op !== 'remove' && typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([name, each]) => ({ op, path: `name.${name.toLowerCase()}`, value: each }))
  }
  if (filtered === undefined) return [{ op, path, value }]
  return [
    {
      op,
      path: `${attribute!.toLowerCase()}[${filtered.toLowerCase()}]${sub ? `.${sub.toLowerCase()}` : ''}`,
      chosen: chosenBy(literal!),
      value,
    },
  ]
}

function chosenBy(literal: string): string {
  if (!literal.startsWith('"')) return literal.toLowerCase()
  try {
    return JSON.parse(literal) as string
  } catch {
    throw new ScimFault('invalidPath', 'The filter of a path is not a JSON string.')
  }
}

function malformed(path: string): ScimFault {
  return new ScimFault('invalidPath', `The path '${path.slice(0, 200)}' cannot be read.`)
}
