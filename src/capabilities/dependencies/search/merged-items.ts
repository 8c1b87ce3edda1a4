import { toPurl } from '../../../ecosystems/registry.ts'
import type { InventoryItem } from '../../../formats/format.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { BillEntry, BillFile } from '../../inventory/public.ts'

const edgesAtOnce = 8 * 1_024

const standing = { D: 'DIRECT', T: 'TRANSITIVE', U: 'UNKNOWN' } as const

/**
 * Each package version once, however many files have it: direct where one file has it so, for development only where all
 * have it so, and depending on what it depends on in any of them.
 */
export async function mergedItems(files: readonly BillFile[]): Promise<InventoryItem[]> {
  const breath = createYield()
  const items = new Map<string, InventoryItem>()
  const edges = new Map<InventoryItem, Set<string>>()
  for (const { graph, entries } of files) {
    const byOrdinal = new Map<number, InventoryItem>()
    for (const entry of entries) {
      await breath()
      byOrdinal.set(entry.ordinal, add(items, entry))
    }
    for (let at = 0; at + 8 <= graph.length; at += 8) {
      if (at % edgesAtOnce === 0) await breath()
      const from = byOrdinal.get(graph.readUInt32LE(at))
      const to = byOrdinal.get(graph.readUInt32LE(at + 4))
      if (!from || !to || from === to) continue
      const targets = edges.get(from) ?? new Set()
      edges.set(from, targets.add(to.key))
    }
  }
  for (const [item, targets] of edges) {
    await breath()
    item.dependsOn = [...targets]
  }
  return [...items.values()]
}

function add(items: Map<string, InventoryItem>, entry: BillEntry): InventoryItem {
  const { ecosystem, name, version, development, licence, resolved } = entry
  const key = toPurl(ecosystem, name, version) ?? `${ecosystem}:${name}@${version}`
  const transitivity = standing[entry.transitivity as keyof typeof standing]
  const known = items.get(key)
  if (!known) {
    const item = { key, ecosystem, name, version, transitivity, development, licence, resolved, dependsOn: [], line: 0 }
    items.set(key, item)
    return item
  }
  if (transitivity === 'DIRECT' || known.transitivity === 'UNKNOWN') known.transitivity = transitivity
  known.development &&= development
  known.licence ||= licence
  known.resolved ||= resolved
  return known
}
