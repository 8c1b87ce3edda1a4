import type { InventoryItem } from '../format.ts'
import { entries, isObject, keys, member, text } from '../json/safe-json.ts'
import { resolvePackage, type TreeNode } from '../package-tree.ts'
import { reachable } from '../reachable.ts'

/** One entry of `packages`; no item where it is a workspace, folder or link of the project. */
export type Installed = { item: InventoryItem | undefined; needs: unknown }

const runtimeFields = ['dependencies', 'optionalDependencies', 'peerDependencies']

/** Edges, what the workspaces ask for, and what is needed only for what they ask for in development. */
export function connect(top: TreeNode<Installed>, places: readonly TreeNode<Installed>[], workspaces: unknown): void {
  const byKey = new Map<string, InventoryItem>()
  for (const place of places) {
    const { item, needs } = place.content!
    if (!item) continue
    byKey.set(item.key, item)
    item.dependsOn = [...itemsFor(place, needs, runtimeFields)].filter((found) => found !== item).map(({ key }) => key)
  }
  if (!isObject(workspaces)) return

  const runtime = new Set<InventoryItem>()
  const development = new Set<InventoryItem>()
  for (const [path, workspace] of entries(workspaces)) {
    const place = (path === '' ? undefined : top.nested.get(text(workspace, 'name'))) ?? top
    for (const item of itemsFor(place, workspace, runtimeFields)) runtime.add(item)
    for (const item of itemsFor(place, workspace, ['devDependencies'])) development.add(item)
  }
  // A folder or link has no entry in `workspaces`, but its packages are asked for by the project too.
  for (const place of places) {
    const { item, needs } = place.content!
    if (!item) for (const found of itemsFor(place, needs, runtimeFields)) runtime.add(found)
  }

  const next = (item: InventoryItem) => item.dependsOn.flatMap((key) => byKey.get(key) ?? [])
  const needed = reachable(runtime, next)
  const developed = reachable(development, next)
  for (const item of byKey.values()) {
    item.transitivity = runtime.has(item) || development.has(item) ? 'DIRECT' : 'TRANSITIVE'
    item.development = developed.has(item) && !needed.has(item)
  }
}

function itemsFor(place: TreeNode<Installed>, holder: unknown, fields: readonly string[]): Set<InventoryItem> {
  const found = new Set<InventoryItem>()
  for (const field of fields) {
    for (const name of keys(member(holder, field))) {
      const item = resolvePackage(place, name)?.content?.item
      if (item) found.add(item)
    }
  }
  return found
}
