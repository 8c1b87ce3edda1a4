import { ecosystems } from '../../../ecosystems/registry.ts'
import type { BillStatement, InventoryItem } from '../../../formats/format.ts'
import { spelledAsListed } from '../../../formats/sbom/licence.ts'
import { bytesArray, plainArray, textArray } from '../../../kernel/database/array-literal.ts'
import { licenceIds } from './licence-ids.ts'
import { packStatements, type StatementBatch } from './statement-batches.ts'

/**
 * Dependencies in the shape the database takes: each column one array in PostgreSQL's own notation. It is made where the
 * document is read, so that the thread that answers requests only passes it on.
 */
export type ColumnBatch = {
  size: number
  ecosystem: string
  name: string
  shownName: string
  searchText: string
  version: string
  orderKey: string
  /** Into `licences`, from 1; 0 for none. */
  licence: string
  ordinal: string
  line: string
  transitivity: string
  development: string
  resolved: string
}

export type Licence = { expression: string; ids: string[] }

export type PackedInventory = {
  count: number
  batches: ColumnBatch[]
  licences: Licence[]
  /** Pairs of ordinals, four bytes each, little endian: who depends on whom. */
  graph: Uint8Array
  statements: StatementBatch[]
}

const batchSize = 2_000
const maxName = 500
const maxVersion = 200
const maxResolved = 2_000
const maxLicence = 10_000
const letters = { DIRECT: 'D', TRANSITIVE: 'T', UNKNOWN: 'U' }

/** What cannot be stored (and no real package has) is left out; `leftOut` hears of it. */
export function packColumns(
  items: readonly InventoryItem[],
  leftOut: (item: InventoryItem) => void,
  statements: readonly BillStatement[] = [],
): PackedInventory {
  const kept = items.filter((item) => {
    const fits = isStorable(item.name, maxName) && item.name !== '' && isStorable(item.version, maxVersion)
    if (!fits) leftOut(item)
    return fits
  })
  const licences = new Map<string, { index: number; licence: Licence }>()
  const batches: ColumnBatch[] = []
  for (let start = 0; start < kept.length; start += batchSize) {
    batches.push(packBatch(kept.slice(start, start + batchSize), start, (text) => indexOf(licences, text)))
  }
  return {
    count: kept.length,
    batches,
    licences: [...licences.values()].map(({ licence }) => licence),
    graph: packGraph(kept),
    statements: packStatements(statements, kept),
  }
}

function packBatch(items: InventoryItem[], start: number, licenceOf: (text: string) => number): ColumnBatch {
  const names = items.map(({ ecosystem, name }) => ecosystems[ecosystem].normalizeName(name))
  const keys = items.map(({ ecosystem, version }) => ecosystems[ecosystem].orderKey(version))
  return {
    size: items.length,
    ecosystem: textArray(items.map((item) => item.ecosystem)),
    name: textArray(names),
    shownName: textArray(items.map((item) => item.name)),
    searchText: textArray(items.map((item, at) => searchText(names[at]!, item.name))),
    version: textArray(items.map((item) => item.version)),
    orderKey: bytesArray(keys),
    licence: plainArray(items.map((item) => licenceOf(item.licence))),
    ordinal: plainArray(items.map((_, at) => start + at)),
    line: plainArray(items.map((item) => Math.min(item.line, 2_147_483_647))),
    transitivity: plainArray(items.map((item) => letters[item.transitivity])),
    development: plainArray(items.map((item) => item.development)),
    resolved: textArray(items.map((item) => (isStorable(item.resolved, maxResolved) ? item.resolved : ''))),
  }
}

function searchText(name: string, shownName: string): string {
  const [a, b] = [name.toLowerCase(), shownName.toLowerCase()]
  return a === b ? a : `${a}\n${b}`
}

function indexOf(licences: Map<string, { index: number; licence: Licence }>, text: string): number {
  const expression = spelledAsListed(text.trim())
  if (expression === '' || !isStorable(expression, maxLicence)) return 0
  const known = licences.get(expression)
  if (known) return known.index
  const index = licences.size + 1
  licences.set(expression, { index, licence: { expression, ids: licenceIds(expression) } })
  return index
}

function packGraph(items: readonly InventoryItem[]): Uint8Array {
  const ordinals = new Map(items.map((item, at) => [item.key, at]))
  let edges = 0
  for (const item of items) edges += item.dependsOn.length
  const bytes = Buffer.alloc(edges * 8)
  let end = 0
  items.forEach((item, from) => {
    for (const key of item.dependsOn) {
      const to = ordinals.get(key)
      if (to === undefined) continue
      bytes.writeUInt32LE(from, end)
      bytes.writeUInt32LE(to, end + 4)
      end += 8
    }
  })
  return bytes.subarray(0, end)
}

function isStorable(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !text.includes('\0') && text.isWellFormed()
}
