import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, type Inventory, unreadable, withOrphansDirect, wrongFormat } from '../inventory.ts'
import { reachable } from '../reachable.ts'
import { headText } from '../text/bytes.ts'
import { headerLines, readToml, type TomlTable, tableIn, tablesIn, textIn } from '../toml/safe-toml.ts'
import { tomlHead } from '../toml/toml-head.ts'

/** uv.lock, version 1. Packages that are folders (the project, its workspace) are left out: they are the roots. */
export const uvLock: Format = {
  id: 'uv-lock',
  title: 'uv.lock',
  fileNames: [/^uv\.lock$/],

  recognises(head) {
    const seen = tomlHead(headText(head))
    const top = seen?.keys.get('')
    if (!seen || !top?.has('version') || top.has('lock-version')) return false
    return top.has('requires-python') || top.has('revision') || seen.value('package', 'source').startsWith('{')
  },

  read(chunks): Reading {
    const document = readToml(chunks)
    if (document.problem) return unreadable(document.problem)
    const { table, text } = document.value
    if (Object.keys(table).length > 0 && table.version !== 1)
      return wrongFormat('The TOML does not start with version = 1, so it is not a uv.lock file that can be read.')
    const packages = tablesIn(table, 'package')
    const lines = headerLines(text, 'package', packages.length)
    const inventory = createInventory('pypi')
    const own: TomlTable[] = []
    const locked: { entry: TomlTable; item: InventoryItem }[] = []
    packages.forEach((entry, at) => {
      if (isOwn(entry)) own.push(entry)
      else {
        const item = addPackage(inventory, entry, lines[at] ?? 0)
        if (item) locked.push({ entry, item })
      }
    })
    for (const { entry, item } of locked) for (const to of neededBy(inventory, entry)) inventory.connect(item, to)
    // A script, and a workspace whose root is not a package, ask for packages in the manifest.
    const manifest = tableIn(table, 'manifest') ?? {}
    const running = [
      ...own.flatMap((entry) => neededBy(inventory, entry)),
      ...inList(inventory, manifest, 'requirements'),
    ]
    const developing = [
      ...own.flatMap((entry) => inGroups(inventory, tableIn(entry, 'dev-dependencies'))),
      ...inGroups(inventory, tableIn(manifest, 'dependency-groups')),
    ]
    const tellsWhatIsAsked = own.length > 0 || running.length + developing.length > 0
    return tellsWhatIsAsked ? markRoots(inventory.done(), running, developing) : withOrphansDirect(inventory.done())
  },
}

function isOwn(entry: TomlTable): boolean {
  const source = tableIn(entry, 'source') ?? {}
  return ['editable', 'virtual', 'directory', 'workspace'].some((kind) => kind in source)
}

function addPackage(inventory: Inventory, entry: TomlTable, line: number): InventoryItem | undefined {
  const source = tableIn(entry, 'source') ?? {}
  const resolved = textIn(source, 'registry') || textIn(source, 'git') || textIn(source, 'url')
  return inventory.add({ name: textIn(entry, 'name'), version: textIn(entry, 'version'), resolved, line })
}

/** What a package needs to run, with what its extras need: an extra is only locked where somebody asks for it. */
function neededBy(inventory: Inventory, entry: TomlTable): InventoryItem[] {
  return [...inList(inventory, entry, 'dependencies'), ...inGroups(inventory, tableIn(entry, 'optional-dependencies'))]
}

function inGroups(inventory: Inventory, groups: TomlTable | undefined): InventoryItem[] {
  return groups ? Object.keys(groups).flatMap((group) => inList(inventory, groups, group)) : []
}

/** A version is only given where the lock has several of the package. */
function inList(inventory: Inventory, table: TomlTable, key: string): InventoryItem[] {
  return tablesIn(table, key).flatMap((needed) => {
    const version = textIn(needed, 'version')
    return inventory.namesakes(textIn(needed, 'name')).filter((item) => version === '' || item.version === version)
  })
}

function markRoots(reading: Reading, running: InventoryItem[], developing: InventoryItem[]): Reading {
  const byKey = new Map(reading.items.map((item) => [item.key, item]))
  const direct = new Set([...running, ...developing])
  const runs = reachable(running, (item) => item.dependsOn.flatMap((key) => byKey.get(key) ?? []))
  const develops = reachable(developing, (item) => item.dependsOn.flatMap((key) => byKey.get(key) ?? []))
  for (const item of reading.items) {
    item.transitivity = direct.has(item) ? 'DIRECT' : 'TRANSITIVE'
    item.development = develops.has(item) && !runs.has(item)
  }
  return reading
}
