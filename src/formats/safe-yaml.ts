import { type Document, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml'
import { lineCounter } from './bytes.ts'
import type { Problem } from './format.ts'
import { fatalProblem, type Outcome, quote } from './problem.ts'
import { type Parsed, type ParseOptions, recordLine } from './safe-json.ts'

export type YamlOptions = ParseOptions & { maxLength?: number }

const defaultMaxDepth = 64
/** The parser takes about a second for 2 MB; real lockfiles have one or two. */
const defaultMaxLength = 16 * 1024 * 1024

/**
 * Parses YAML that nobody vouches for. Every scalar is a string as written (so `1.10` stays `1.10`, and `true` and
 * null are 'true' and ''), aliases and tags are refused, of duplicate keys the last one counts.
 * The value is made of plain objects and arrays for `member`, `text` and `entries` of safe-json.
 */
export function parseYaml(source: string, options: YamlOptions = {}): Outcome<Parsed> {
  const documents = parseYamlDocuments(source, options)
  if (documents.problem) return documents
  if (documents.value.length > 1) {
    return { problem: fatalProblem('many-documents', 'The file holds more than one YAML document.') }
  }
  return { value: documents.value[0] ?? { value: '', lines: new Map() } }
}

export function parseYamlDocuments(source: string, options: YamlOptions = {}): Outcome<Parsed[]> {
  const { maxDepth = defaultMaxDepth, maxLength = defaultMaxLength, locate } = options
  if (source.length > maxLength) {
    return { problem: fatalProblem('too-large', `The YAML is longer than ${maxLength} characters.`) }
  }
  const deep = tooDeepLine(source, maxDepth)
  if (deep > 0) return { problem: tooDeep(maxDepth, deep) }
  try {
    const documents = parseAllDocuments(source, {
      schema: 'failsafe',
      uniqueKeys: false, // the check for duplicates is quadratic
      prettyErrors: false,
      logLevel: 'silent',
      stringKeys: true,
      keepSourceTokens: false,
    })
    const list = 'empty' in documents ? [] : documents
    const lineAt = lineCounter(source)
    const parsed: Parsed[] = []
    for (const document of list) parsed.push(convert(document as Document.Parsed, source, lineAt, maxDepth, locate))
    return { value: parsed }
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem }
    if (error instanceof RangeError) return { problem: tooDeep(maxDepth, 0) }
    return { problem: fatalProblem('not-yaml', 'The document is not valid YAML.') }
  }
}

class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

function convert(
  document: Document.Parsed,
  source: string,
  lineAt: (offset: number) => number,
  maxDepth: number,
  locate: ParseOptions['locate'],
): Parsed {
  const lines = new Map<string, number>()
  const path: string[] = []
  const error = document.errors[0]
  if (error) {
    const line = lineCounter(source)(error.pos[0])
    throw new Refused(fatalProblem('not-yaml', `Not valid YAML at line ${line}: ${quote(error.message)}.`, line))
  }

  function visit(node: unknown, offset: number): unknown {
    if (path.length > maxDepth) throw new Refused(tooDeep(maxDepth, lineAt(offset)))
    if (path.length > 0 && locate?.(path)) recordLine(lines, path, lineAt(offset))
    if (isScalar(node)) {
      if (node.tag) refuse('a tag', offset)
      return typeof node.value === 'string' ? node.value : ''
    }
    if (isAlias(node)) return refuse('an alias', offset)
    if (isMap(node)) {
      const object: Record<string, unknown> = Object.create(null)
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value ?? '') : refuse('a key that is not plain text', offset)
        path.push(key)
        object[key] = visit(pair.value, startOf(pair.key, offset))
        path.pop()
      }
      return object
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        path.push(String(index))
        const value = visit(item, startOf(item, offset))
        path.pop()
        return value
      })
    }
    return ''
  }

  function refuse(what: string, offset: number): never {
    const line = lineCounter(source)(offset)
    throw new Refused(fatalProblem('yaml-feature', `The YAML has ${what} at line ${line}, which is not read.`, line))
  }

  return { value: visit(document.contents, 0), lines }
}

function startOf(node: unknown, otherwise: number): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range ? range[0] : otherwise
}

function tooDeep(maxDepth: number, line: number): Problem {
  return fatalProblem('too-deep', `Nested deeper than ${maxDepth} levels${line ? ` at line ${line}` : ''}.`, line)
}

/**
 * The line at which unclosed brackets go far beyond the allowed levels, 0 where they do not:
 * it spares the recursive parser the hopeless cases.
 */
function tooDeepLine(source: string, maxDepth: number): number {
  let depth = 0
  let line = 1
  for (let at = 0; at < source.length; at++) {
    const char = source[at]
    if (char === '\n') line++
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && depth > 0) depth--
    if (depth > maxDepth * 10) return line
  }
  return 0
}
