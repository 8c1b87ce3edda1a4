import type { TSchema } from 'typebox'
import { hasLength } from '../text/characters.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { readDateTime } from '../time/date-time.ts'
import { duplicateErrors } from './duplicate-values.ts'
import type { FieldError } from './fault.ts'

/** The part of JSON Schema that contracts use. */
type Node = {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: Node[]
  properties?: Record<string, Node>
  required?: string[]
  /** What is not known is passed over: clients of other products send more than we have use for. */
  additionalProperties?: unknown
  patternProperties?: Record<string, Node>
  maxProperties?: number
  items?: Node
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  'x-digits'?: boolean
  /** Digits on the wire, a number up to this one here. */
  'x-number'?: number
  /** A secret, with everything in it: no message quotes what was sent. */
  writeOnly?: boolean
}

const maxErrors = 100
const maxArrayItems = 10_000
const maxMapDepth = 32

/**
 * Reads an untrusted value strictly by its schema and collects every fault, each with a JSON pointer.
 * Strict: unknown fields are faults. Kind: integers may come as strings of digits, times with any offset. Returns the
 * value to work with: integers as numbers, times in UTC.
 */
export function validate(schema: TSchema, value: unknown, at: string, errors: FieldError[]): unknown {
  return read(schema as Node, value, at, errors)
}

function read(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  if (errors.length >= maxErrors) return value
  if (node.anyOf) return readAny(node, node.anyOf, value, at, errors)
  if (node.enum) return readEnum(node.enum, value, at, errors)
  if ('const' in node) return readEnum([node.const], value, at, errors)
  switch (node.type) {
    case 'object':
      return readObject(node, value, at, errors)
    case 'array':
      return readArray(node, value, at, errors)
    case 'string':
      return node['x-number'] === undefined ? readString(node, value, at, errors) : readDigits(node, value, at, errors)
    case 'integer':
    case 'number':
      return readNumber(node, value, at, errors)
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(node, 'a boolean', value, at, errors)
    case 'null':
      return value === null ? value : mismatch(node, 'null', value, at, errors)
    default:
      checkPlain(value, at, errors, 0)
      return value
  }
}

function readObject(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return mismatch(node, 'an object', value, at, errors)
  if (node.patternProperties) {
    const limit = node.maxProperties ?? 1_000
    if (Object.keys(value).length > limit) errors.push({ pointer: at, detail: `must have at most ${limit} entries` })
    else checkPlain(value, at, errors, 0)
    return value
  }
  const properties = node.properties ?? {}
  const result: Record<string, unknown> = {}
  // By name, and not by a list of all: of one with very many, a hundred that are not known are enough.
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    if (!Object.hasOwn(properties, key)) {
      if (node.additionalProperties !== true) errors.push(unknownIn(node, at, key))
    } else if (entry !== undefined) {
      result[key] = read(within(node, properties[key]!), entry, `${at}/${pointerPart(key)}`, errors)
    }
    if (errors.length >= maxErrors) return result
  }
  for (const key of node.required ?? []) {
    if (!Object.hasOwn(value, key)) errors.push({ pointer: `${at}/${pointerPart(key)}`, detail: 'is required' })
  }
  return result
}

/** A secret may have slipped into the place of a name. */
function unknownIn(node: Node, at: string, key: string): FieldError {
  const known = Object.keys(node.properties ?? {})
  if (node.writeOnly) return { pointer: at, detail: `has a field that is not known; known: ${known.join(', ')}` }
  return { pointer: `${at}/${pointerPart(key)}`, detail: unknownField(key, known) }
}

function unknownField(key: string, known: string[]): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key
  const close = didYouMean(key, known)
  if (close) return `is not known: '${shown}'; did you mean '${close}'?`
  return known.length > 0 ? `is not known: '${shown}'; known: ${known.join(', ')}` : `is not known: '${shown}'`
}

function readArray(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  if (!Array.isArray(value)) return mismatch(node, 'an array', value, at, errors)
  const most = node.maxItems ?? maxArrayItems
  if (value.length > most) {
    errors.push({ pointer: at, detail: `must have at most ${most} entries, has ${value.length}` })
    return value
  }
  if (node.minItems && value.length < node.minItems) {
    errors.push({
      pointer: at,
      detail: node.minItems === 1 ? 'must not be empty' : `must have at least ${node.minItems} entries`,
    })
  }
  const entries = value.map((entry, index) => read(within(node, node.items ?? {}), entry, `${at}/${index}`, errors))
  if (node.uniqueItems) errors.push(...duplicateErrors(entries as string[], (index) => `${at}/${index}`))
  return entries
}

function readString(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  if (node['x-digits'] && Number.isSafeInteger(value) && (value as number) >= 0) return String(value)
  if (typeof value !== 'string') return mismatch(node, 'a string', value, at, errors)
  if (value.includes('\0')) errors.push({ pointer: at, detail: 'must not contain the character U+0000' })
  else if (!value.isWellFormed()) errors.push({ pointer: at, detail: 'must not contain half of a surrogate pair' })
  else if (!hasLength(value, node.minLength ?? 0, node.maxLength ?? 100_000))
    errors.push({ pointer: at, detail: lengthRule(node) })
  else if (node.pattern && !new RegExp(node.pattern, 'u').test(value)) {
    errors.push({ pointer: at, detail: `must match ${node.pattern}` })
  } else if (node.format === 'date-time') {
    const moment = readDateTime(value)
    if (moment !== undefined) return moment
    errors.push({ pointer: at, detail: 'must be an RFC 3339 date-time, for example 2026-01-31T12:00:00Z' })
  }
  return value
}

/** Empty is nothing, where that is allowed: the cursor of no page. */
function readDigits(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (text === '' && !node.pattern) return undefined
  if (typeof text === 'string' && /^\d{1,16}$/.test(text) && Number(text) <= node['x-number']!) return Number(text)
  errors.push({ pointer: at, detail: node.pattern ? 'must be a number' : 'must be the cursor of the page before' })
  return value
}

function lengthRule(node: Node): string {
  if (node.maxLength === undefined) return node.minLength === 1 ? 'must not be empty' : 'is too long'
  return `must have ${node.minLength ?? 0} to ${node.maxLength} characters`
}

function readNumber(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  const integer = node.type === 'integer'
  const wanted = integer ? 'an integer' : 'a number'
  const number = integer && typeof value === 'string' && /^\d{1,100}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return mismatch(node, wanted, value, at, errors)
  if (integer && !Number.isInteger(number)) return mismatch(node, wanted, value, at, errors)
  if (integer && !Number.isSafeInteger(number)) return tooLarge(node, value, at, errors)
  const { minimum, maximum } = node
  if ((minimum !== undefined && number < minimum) || (maximum !== undefined && number > maximum)) {
    const range = maximum === undefined ? `at least ${minimum}` : `between ${minimum ?? 'any'} and ${maximum}`
    errors.push({ pointer: at, detail: `must be ${range}${node.writeOnly ? '' : `, is ${number}`}` })
  }
  return number
}

/** Such a number is not what was sent any more: JSON readers round it. */
function tooLarge(node: Node, value: unknown, at: string, errors: FieldError[]): unknown {
  const limit = `${Number(value) > 0 ? 'at most ' : 'at least -'}${Number.MAX_SAFE_INTEGER}`
  errors.push({ pointer: at, detail: `must be ${limit}${node.writeOnly ? '' : `, is ${value}`}` })
  return value
}

function readEnum(allowed: readonly unknown[], value: unknown, at: string, errors: FieldError[]): unknown {
  if (allowed.includes(value)) return value
  const names = allowed.filter((entry) => typeof entry === 'string')
  const close = typeof value === 'string' ? didYouMean(value, names) : undefined
  const hint = close ? `; did you mean '${close}'?` : ''
  errors.push({
    pointer: at,
    detail: `must be one of ${allowed.map((entry) => (entry === '' ? "''" : String(entry))).join(', ')}${hint}`,
  })
  return value
}

/** The alternative that fits; where none does, the faults of the one that came closest. */
function readAny(node: Node, alternatives: Node[], value: unknown, at: string, errors: FieldError[]): unknown {
  let fewest: FieldError[] | undefined
  for (const alternative of alternatives) {
    const own: FieldError[] = []
    const result = read(within(node, alternative), value, at, own)
    if (own.length === 0) return result
    if (alternative.type !== 'null' && (!fewest || own.length < fewest.length)) fewest = own
  }
  errors.push(...(fewest ?? [{ pointer: at, detail: 'does not fit' }]))
  return value
}

/** What a contract leaves open (free JSON objects) must still be storable: bounded in depth, strings PostgreSQL can hold. */
function checkPlain(value: unknown, at: string, errors: FieldError[], depth: number): void {
  if (depth > maxMapDepth) {
    errors.push({ pointer: at, detail: `must not be nested more than ${maxMapDepth} levels deep` })
  } else if (typeof value === 'string') {
    readString({}, value, at, errors)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      if (key.includes('\0') || !key.isWellFormed())
        errors.push({ pointer: at, detail: 'has a key that cannot be stored' })
      if (errors.length < maxErrors) checkPlain(entry, `${at}/${pointerPart(key)}`, errors, depth + 1)
    }
  }
}

function mismatch(node: Node, wanted: string, value: unknown, at: string, errors: FieldError[]): unknown {
  errors.push({ pointer: at, detail: `must be ${wanted}${node.writeOnly ? '' : `, is ${kindOf(value)}`}` })
  return value
}

/** What lies in a secret is secret. */
function within(outer: Node, inner: Node): Node {
  return outer.writeOnly ? { ...inner, writeOnly: true } : inner
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length > 40 ? 'a string' : `the string '${value}'`
  if (typeof value === 'object') return 'an object'
  return String(value)
}

/** RFC 6901 §3. */
function pointerPart(key: string): string {
  const shown = key.length > 100 ? `${key.slice(0, 100)}…` : key
  return shown.replaceAll('~', '~0').replaceAll('/', '~1')
}
