import { fatalProblem, quote, type ReadResult } from '../problem.ts'
import { type JsonFault, scanJson } from './json-scan.ts'

export type JsonObject = { readonly [key: string]: unknown }

export type ParseOptions = {
  /** Levels of objects and arrays; 64 where not given. */
  maxDepth?: number
  /** The entries whose lines are wanted, e.g. `(path) => path.length === 2 && path[0] === 'packages'`. */
  locate?: (path: readonly string[]) => boolean
  /** The objects and arrays that such entries can be in, at any level; all where not given. */
  enters?: (path: readonly string[]) => boolean
}

/** `lines` has the 1-based line of each located entry, by its JSON pointer. */
export type Parsed = { value: unknown; lines: ReadonlyMap<string, number> }

const defaultMaxDepth = 64
/** Longer pointers are not kept: many entries under one huge key would otherwise hold it many times. */
const maxPointerLength = 1024

/**
 * Parses JSON that nobody vouches for. Objects have their members as own properties, `__proto__` too: read them with
 * `member`, `text` and `entries`, never with a bare `object[key]`. Of duplicate keys the last one counts.
 */
export function parseJson(
  source: string,
  { maxDepth = defaultMaxDepth, locate, enters = () => true }: ParseOptions = {},
): ReadResult<Parsed> {
  const lines = new Map<string, number>()
  const path: string[] = []
  const onMember = (depth: number, key: string, line: number) => {
    path.length = depth
    path[depth - 1] = key
    if (locate?.(path)) recordLine(lines, path, line)
  }
  const fault = scanJson(source, locate ? { maxDepth, onMember, enters: () => enters(path) } : { maxDepth })
  if (fault) return { problem: describe(fault, maxDepth) }
  try {
    return { value: { value: JSON.parse(source), lines } }
  } catch {
    return { problem: fatalProblem('not-json', 'The document is not valid JSON.') }
  }
}

/**
 * For recognising a document by its head, which may be cut off anywhere: the pointers of the members down to `depth`,
 * as far as the text is JSON. Empty where it does not start like an object.
 */
export function outline(head: string, depth: number): Set<string> {
  const pointers = new Set<string>()
  const path: string[] = []
  if (!/^\s*\{/.test(head)) return pointers
  scanJson(head, {
    maxDepth: defaultMaxDepth,
    onMember(level, key) {
      path.length = level
      path[level - 1] = key
      if (key.length < 256) pointers.add(jsonPointer(path))
    },
    enters: () => path.length < depth,
  })
  return pointers
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member, undefined where there is none or `value` is not an object; nothing inherited is ever found. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** A string member, '' where there is none. */
export function text(value: unknown, key: string): string {
  return asText(member(value, key))
}

/** A string as it is, '' for anything else: `String` calls what a document calls `toString`. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The members of an object, none where it is not one. */
export function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** The keys of an object, none where it is not one. */
export function keys(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : []
}

/** The elements of an array, none where it is not one. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** RFC 6901. */
export function jsonPointer(path: readonly string[]): string {
  let pointer = ''
  for (const key of path) pointer += `/${escapeKey(key)}`
  return pointer
}

function escapeKey(key: string): string {
  const tildes = key.includes('~') ? key.replaceAll('~', '~0') : key
  return tildes.includes('/') ? tildes.replaceAll('/', '~1') : tildes
}

export function recordLine(lines: Map<string, number>, path: readonly string[], line: number): void {
  let length = 0
  for (const key of path) length += key.length + 1
  if (length <= maxPointerLength) lines.set(jsonPointer(path), line)
}

function describe({ reason, line, column, near }: JsonFault, maxDepth: number) {
  const place = `line ${line}, column ${column}`
  if (reason === 'too-deep') return fatalProblem('too-deep', `Nested deeper than ${maxDepth} levels at ${place}.`, line)
  if (reason === 'truncated') return fatalProblem('truncated', `The JSON ends too early, at ${place}.`, line)
  return fatalProblem('not-json', `Not valid JSON at ${place}: ${quote(near)}.`, line)
}
