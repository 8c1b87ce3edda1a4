import type { Format, Problem, Reading } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { elements } from '../json/safe-json.ts'
import { fatalProblem, quote } from '../problem.ts'
import { createBill } from '../sbom/bill.ts'
import { createElements } from './elements.ts'

/** SPDX 3.0 documents in JSON-LD. */
export const spdx3Json: Format = {
  id: 'spdx3-json',
  title: 'SPDX 3.0 (JSON-LD)',
  fileNames: [/\.spdx3?\.json$/i],
  recognises,
  read,
}

const contextAddress = /^https?:\/\/spdx\.org\/rdf\/(?:v)?(\d+\.\d+)(?!\d)[^/]*\//
const read3 = 'SPDX 3.0 is read'
/** They refer to each other in any order, so all of them are held until the end. */
const maximumElements = 1_000_000

function recognises(head: Uint8Array): boolean {
  const select = (path: JsonPath, kind: JsonKind): JsonChoice => {
    if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
    return path[0] === '@context' ? 'parse' : 'skip'
  }
  for (const { value } of readJsonStream([head], select, [])) if (contextVersion(value)) return true
  return false
}

/** The SPDX version that a JSON-LD context names; a context may be one address or a list with further ones. */
function contextVersion(context: unknown): string | undefined {
  const addresses = Array.isArray(context) ? elements(context) : [context]
  for (const address of addresses) {
    const version = typeof address === 'string' ? contextAddress.exec(address)?.[1] : undefined
    if (version) return version
  }
  return undefined
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const problems: Problem[] = []
  const bill = createBill()
  const graph = createElements(bill)
  let hasGraph = false
  let version: string | undefined
  const alone: Record<string, unknown> = Object.create(null)
  for (const { path, value, line } of readJsonStream(chunks, select, problems, { parts: maximumElements })) {
    if (path[0] === '@context') {
      version = contextVersion(value)
      if (version && version !== '3.0') return refuse(version, line)
    } else if (path[0] !== '@graph') alone[String(path[0])] = value
    else {
      hasGraph = true
      const stated = graph.take(value, line, `/@graph/${path[1]}`)
      if (bill.isFull()) return bill.finish()
      if (stated && !/^3\.0(\.|$)/.test(stated)) return refuse(stated, line)
    }
  }
  const broken = problems.find((problem) => problem.fatal)
  if (broken) return { items: [], problems: [broken] }
  if (!version) return failed('missing-version', `There is no @context of SPDX; ${read3}.`)
  // A document of one element may be that element (SPDX 3.0.1, serialization in JSON-LD).
  if (!hasGraph && alone.type !== undefined) graph.take(alone, 1, '')
  else if (!hasGraph) return failed('missing-graph', 'There are no elements in @graph.')
  graph.finish()
  const { items, problems: noted } = bill.finish()
  return { items, problems: [...problems, ...noted] }
}

function refuse(version: string, line: number): Reading {
  return failed('unsupported-version', `SPDX version ${quote(version)} is not read; ${read3}.`, line)
}

function failed(code: string, detail: string, line = 0): Reading {
  return { items: [], problems: [fatalProblem(code, detail, line)] }
}

function select(path: JsonPath, kind: JsonKind): JsonChoice {
  if (path.length === 0) return 'enter'
  if (path[0] === '@context') return 'parse'
  if (path[0] !== '@graph') return path.length === 1 ? 'parse' : 'skip'
  return path.length === 1 && kind === 'array' ? 'enter' : 'parse'
}
