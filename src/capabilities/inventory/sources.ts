import { sourceKinds } from '../../domain/sources.ts'

type Told = { source: string; ecosystem: string; name: string; version: string }

/** What several sources report counts once, where the best of them has it. Within one source every file counts. */
export function ofBestSource<Entry extends Told>(entries: readonly Entry[]): Entry[] {
  const ranks = new Map<string, number>()
  const keyOf = ({ ecosystem, name, version }: Told) => JSON.stringify([ecosystem, name, version])
  if (new Set(entries.map(({ source }) => source)).size < 2) return [...entries]
  for (const entry of entries) {
    const key = keyOf(entry)
    ranks.set(key, Math.min(ranks.get(key) ?? sourceKinds.length, rankOf(entry.source)))
  }
  return entries.filter((entry) => rankOf(entry.source) === ranks.get(keyOf(entry)))
}

function rankOf(source: string): number {
  const at = sourceKinds.findIndex((kind) => source === kind || source.startsWith(`${kind}:`))
  return at < 0 ? sourceKinds.length : at
}
