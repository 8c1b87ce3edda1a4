import { externalReference } from '../cyclonedx/basic-shapes.ts'
import { addComponent, addDependency, addSubject } from '../cyclonedx/component.ts'
import {
  checkBomVersion,
  checkCitation,
  checkMetadata,
  checkSerialNumber,
  checkService,
  checkVulnerability,
  documentKeys,
  isClosed,
} from '../cyclonedx/conformity.ts'
import { annotation, composition, documentProperty } from '../cyclonedx/shapes.ts'
import { minorVersion } from '../cyclonedx/versions.ts'
import type { Format, Problem, Reading } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonPart, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { isObject, jsonPointer, member } from '../json/safe-json.ts'
import { fatalProblem, quote } from '../problem.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { faults } from '../sbom/faults.ts'
import { scalarsAt } from '../sbom/head.ts'
import { anything, checkShape, type Shape } from '../sbom/shape.ts'
import { createStatements } from '../sbom/statements.ts'

const oldestMinor = 2
const newestMinor = 7

/** CycloneDX bills of materials in JSON (ECMA-424), versions 1.2 to 1.7. */
export const cyclonedxJson: Format = {
  id: 'cyclonedx-json',
  title: 'CycloneDX (JSON)',
  fileNames: [/\.cdx\.json$/i, /^bom\.json$/i],
  recognises,
  read,
}

/** Whoever writes the components first may come to the bomFormat last. */
const placesOfRefs = ['metadata/component/bom-ref', 'components/0/bom-ref']

function recognises(head: Uint8Array): boolean {
  const found = scalarsAt(head, ['bomFormat', '$schema', ...placesOfRefs])
  if (found.has('bomFormat')) return found.get('bomFormat') === 'CycloneDX'
  if (/cyclonedx\.org\/schema\/bom/.test(String(found.get('$schema')))) return true
  return placesOfRefs.some((place) => typeof found.get(place) === 'string')
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const problems: Problem[] = []
  const bill = createBill()
  const statements = createStatements()
  let bomFormat: unknown
  let specVersion: unknown
  let minor = newestMinor
  let hasBomVersion = false
  for (const part of readJsonStream(chunks, select, problems)) {
    const [key] = part.path
    if (part.path.length === 1 && key === 'bomFormat') bomFormat = part.value
    else if (part.path.length === 1 && key === 'specVersion') {
      specVersion = part.value
      const found = minorVersion(specVersion, oldestMinor)
      if (typeof found !== 'number') return { items: [], problems: [{ ...found, line: part.line }] }
      minor = found
    } else {
      if (key === 'version') hasBomVersion = true
      take(bill, part, minor)
      if (key === 'vulnerabilities' && part.path.length === 2) statements.add(part.value)
      if (bill.isFull()) return bill.finish()
    }
  }
  const broken = problems.find((problem) => problem.fatal)
  if (broken) return { items: [], problems: [broken] }
  if (bomFormat !== 'CycloneDX') {
    const shown = typeof bomFormat === 'string' ? quote(bomFormat) : 'missing'
    return { items: [], problems: [fatalProblem('not-cyclonedx', `The bomFormat is ${shown}, not 'CycloneDX'.`)] }
  }
  const found = minorVersion(specVersion, oldestMinor)
  if (typeof found !== 'number') return { items: [], problems: [found] }
  if (!hasBomVersion && found < 5)
    faults(bill.problemCounts, { line: 0, pointer: '/version' })('invalid-bom-version', '', 'is missing')
  const reading = bill.finish()
  return {
    items: reading.items,
    problems: [...problems, ...reading.problems, ...statements.problems()],
    ...(statements.list().length > 0 ? { statements: statements.list() } : {}),
  }
}

/** Lists in which nothing is of use to an inventory: they are only looked at. */
const lookedAt: ReadonlyMap<string, Shape> = new Map([
  ['compositions', composition],
  ['annotations', annotation],
  ['externalReferences', externalReference],
  ['properties', documentProperty],
])
const lists = new Set([...lookedAt.keys(), 'components', 'dependencies', 'services', 'citations', 'vulnerabilities'])
const wholes = new Set(['bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata'])

function select(path: JsonPath, kind: JsonKind): JsonChoice {
  const key = String(path[0])
  if (path.length === 0) return 'enter'
  if (path.length > 1) return 'parse'
  if (lists.has(key)) return kind === 'array' ? 'enter' : 'parse'
  // What the specification does not know is given to be noted, if it is small enough to be worth it.
  return wholes.has(key) || (!documentKeys.has(key) && kind === 'scalar') ? 'parse' : 'skip'
}

function take(bill: Bill, { path, value, line }: JsonPart, minor: number): void {
  const place = { line, pointer: jsonPointer(path.map(String)) }
  const fault = faults(bill.problemCounts, place)
  const [key] = path
  if (path.length === 1) {
    if (key === 'serialNumber') checkSerialNumber(value, fault)
    else if (key === 'version') checkBomVersion(value, fault)
    else if (key === 'metadata') takeMetadata(bill, value, minor, place)
    else if (lists.has(String(key))) fault('invalid-document', '', 'is not an array')
    else if (!documentKeys.has(String(key)) && minor > 3)
      fault('unknown-field', '', 'is not a field of the specification')
  } else if (key === 'components') addComponent(bill, value, minor, place)
  else if (key === 'dependencies') addDependency(bill, value, minor, place)
  else if (key === 'services') checkService(value, minor, fault)
  else if (key === 'citations') checkCitation(value, fault)
  else if (key === 'vulnerabilities') checkVulnerability(value, minor, fault)
  else checkShape(lookedAt.get(String(key)) ?? anything, value, isClosed(minor), fault)
}

function takeMetadata(bill: Bill, metadata: unknown, minor: number, place: { line: number; pointer: string }): void {
  const fault = faults(bill.problemCounts, place)
  if (!isObject(metadata)) {
    fault('invalid-metadata', '', 'is not an object')
    return
  }
  checkMetadata(metadata, minor, fault)
  addSubject(bill, member(metadata, 'component'), minor, { line: place.line, pointer: '/metadata/component' })
}
