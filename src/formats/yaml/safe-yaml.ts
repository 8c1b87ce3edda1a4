import { parseEvents, YAMLException } from 'js-yaml'
import type { Problem } from '../format.ts'
import type { Parsed, ParseOptions } from '../json/safe-json.ts'
import { fatalProblem, quote, type ReadResult } from '../problem.ts'
import { lineCounter } from '../text/bytes.ts'
import { composeDocuments, YamlFeature } from './yaml-values.ts'

const defaultMaxDepth = 64

/**
 * Parses YAML that nobody vouches for. Every scalar is a string as written (so `1.10` stays `1.10`, and `true` and
 * null are 'true' and ''), anchors, aliases and tags are refused, of duplicate keys the last one counts.
 * The value is made of plain objects and arrays for `member`, `text` and `entries` of safe-json.
 */
export function parseYaml(source: string, options: ParseOptions = {}): ReadResult<Parsed> {
  const documents = parseYamlDocuments(source, options)
  if (documents.problem) return documents
  if (documents.value.length > 1) {
    return { problem: fatalProblem('many-documents', 'The file holds more than one YAML document.') }
  }
  return { value: documents.value[0] ?? { value: '', lines: new Map() } }
}

/** All documents of a stream, parted by `---`; none where there is nothing but comments. */
export function parseYamlDocuments(source: string, options: ParseOptions = {}): ReadResult<Parsed[]> {
  const { maxDepth = defaultMaxDepth, locate } = options
  try {
    return { value: composeDocuments(source, parseEvents(source, { maxDepth: maxDepth + 1 }), locate) }
  } catch (error) {
    if (error instanceof YamlFeature) return { problem: refused(source, error.message, error.offset) }
    if (error instanceof YAMLException) return { problem: describe(source, error, maxDepth) }
    throw error
  }
}

function refused(source: string, feature: string, offset: number): Problem {
  const { line, place } = placeOf(source, offset)
  return fatalProblem('yaml-feature', `The YAML has ${feature} at ${place}, which is not read.`, line)
}

function describe(source: string, { reason, mark }: YAMLException, maxDepth: number): Problem {
  const offset = Math.min(mark?.position ?? 0, source.length)
  const { line, place } = placeOf(source, offset)
  if (reason.includes('maxDepth')) {
    return fatalProblem('too-deep', `The YAML is nested deeper than ${maxDepth} levels at ${place}.`, line)
  }
  if (reason.startsWith('unexpected end of the stream')) {
    return fatalProblem('truncated', `The YAML ends too early, at ${place}: ${reason}.`, line)
  }
  const near = quote(source.slice(offset, offset + 40))
  return fatalProblem('not-yaml', `Not valid YAML at ${place}, ${quote(reason)}: ${near}.`, line)
}

function placeOf(source: string, offset: number): { line: number; place: string } {
  const line = lineCounter(source)(offset)
  return { line, place: `line ${line}, column ${offset - source.lastIndexOf('\n', offset - 1)}` }
}
