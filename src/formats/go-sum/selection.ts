import { gomod } from '../../ecosystems/gomod/ecosystem.ts'
import type { InventoryItem } from '../format.ts'
import { goDirectives } from '../go-mod/directives.ts'
import { readGoMod } from '../go-mod/reader.ts'
import { readText } from '../text/bytes.ts'

/**
 * Keeps of a go.sum what the go.mod beside it selects, and what that says of it. From Go 1.17 on go.mod lists every module
 * of the build (go.dev/ref/mod#graph-pruning). Before, it lists some of them: of each module the highest version is
 * built, and none below the one that go.mod asks for (#minimal-version-selection).
 */
export function selectedBy(goMod: Iterable<Uint8Array>, items: InventoryItem[]): InventoryItem[] {
  const source = readText(goMod)
  if (source.problem) return items
  const { items: required, problems } = readGoMod(source.value)
  if (problems.some((problem) => problem.fatal)) return items
  const listed = new Map(required.map((item) => [item.name, item]))
  const kept = listsAll(source.value)
    ? items.filter((item) => listed.get(item.name)?.version === item.version)
    : highest(items, listed)
  for (const item of kept) {
    const named = listed.get(item.name)
    if (named?.version === item.version) item.transitivity = named.transitivity
  }
  return kept
}

function listsAll(goMod: string): boolean {
  for (const { verb, words } of goDirectives(goMod)) {
    if (verb !== 'go') continue
    const [, major, minor] = /^(\d+)\.(\d+)/.exec(words[0] ?? '') ?? []
    return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 17)
  }
  return false
}

function highest(items: readonly InventoryItem[], listed: ReadonlyMap<string, InventoryItem>): InventoryItem[] {
  const best = new Map<string, InventoryItem>()
  for (const item of items) {
    const least = best.get(item.name)?.version ?? listed.get(item.name)?.version
    if (least === undefined || gomod.compare(item.version, least) >= 0) best.set(item.name, item)
  }
  return items.filter((item) => best.get(item.name) === item)
}
