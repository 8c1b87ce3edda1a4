import { parse, TomlError } from 'smol-toml'
import { fatalProblem, type ReadResult } from '../problem.ts'
import { lineCounter, readText } from '../text/bytes.ts'
import { tomlExcess } from './toml-guard.ts'

/** A table of a TOML document. Tables have no prototype, so that a key like `constructor` is only a key. */
export type TomlTable = { [key: string]: unknown }

/** Far above any lockfile, far below what a parser of nested values can bear. */
const maxDepth = 64

export function parseToml(text: string): ReadResult<TomlTable> {
  const excess = tomlExcess(text)
  if (excess) return { problem: fatalProblem('too-large', `The document has ${excess}.`) }
  try {
    return { value: parse(text, { maxDepth, integersAsBigInt: 'asNeeded' }) }
  } catch (error) {
    if (!(error instanceof TomlError)) return { problem: fatalProblem('malformed-toml', 'The document is not TOML.') }
    const reason = error.message
      .slice(0, error.message.indexOf('\n'))
      .replace('Invalid TOML document: ', '')
      .slice(0, 200)
    if (reason.includes('excessively nested'))
      return { problem: fatalProblem('too-deep', `Values are nested more than ${maxDepth} deep.`, error.line) }
    const cutOff = reason.startsWith('unfinished') || reason.startsWith('incomplete') || error.line >= lastLine(text)
    const detail = `The document is not TOML at line ${error.line}: ${reason}.`
    return { problem: fatalProblem(cutOff ? 'truncated' : 'malformed-toml', detail, error.line) }
  }
}

/** The whole document as text and as a table: what a reader of a TOML format starts with. */
export function readToml(chunks: Iterable<Uint8Array>): ReadResult<{ text: string; table: TomlTable }> {
  const text = readText(chunks)
  if (text.problem) return text
  const table = parseToml(text.value)
  return table.problem ? table : { value: { text: text.value, table: table.value } }
}

/** The table under `key`; undefined where there is something else or nothing. */
export function tableIn(table: TomlTable, key: string): TomlTable | undefined {
  const value = table[key]
  return isTable(value) ? value : undefined
}

/** The tables of an array of tables (`[[package]]`); [] where there is something else or nothing. */
export function tablesIn(table: TomlTable, key: string): TomlTable[] {
  const value = table[key]
  return Array.isArray(value) ? value.filter(isTable) : []
}

/** The text under `key`; '' where there is something else or nothing. */
export function textIn(table: TomlTable, key: string): string {
  const value = table[key]
  return typeof value === 'string' ? value : ''
}

/** The texts of an array; [] where there is something else or nothing. */
export function textsIn(table: TomlTable, key: string): string[] {
  const value = table[key]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/**
 * The lines on which the array of tables `name` has its headers. The parser keeps no positions, so the headers are
 * looked for in the text; the answer is only given where their number fits, else every line is 0.
 */
export function headerLines(text: string, name: string, count: number): number[] {
  const header = `[[${name}]]`
  const found: number[] = []
  let line = 1
  for (let at = 0; at < text.length; line++) {
    const end = text.indexOf('\n', at)
    if (text.startsWith(header, at)) found.push(line)
    if (end < 0) break
    at = end + 1
  }
  return found.length === count ? found : new Array<number>(count).fill(0)
}

function lastLine(text: string): number {
  return lineCounter(text)(text.trimEnd().length)
}
