import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { entries, isObject, jsonPointer, member, outline, text } from '../json/safe-json.ts'
import { headText } from '../text/bytes.ts'

/** packages.lock.json of NuGet, one graph for each target framework. Projects of the solution are left out. */
export const nugetLock: Format = {
  id: 'nuget-lock',
  title: 'NuGet packages.lock.json',
  fileNames: [/^packages\.lock\.json$/, /^packages\.[^.]+\.lock\.json$/],

  recognises(head) {
    const top = [...outline(headText(head), 1)]
    return top.length === 2 && top.includes('/version') && top.includes('/dependencies')
  },

  read(chunks): Reading {
    const document = readJson(chunks, { locate: (path) => path.length === 3 && path[0] === 'dependencies' })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    const frameworks = member(root, 'dependencies')
    const version = member(root, 'version')
    if (!isObject(frameworks) || typeof version !== 'number' || version < 1)
      return wrongFormat('The JSON has no dependencies with a version of 1 or more, so it is not a packages.lock.json.')
    const inventory = createInventory('nuget')
    for (const [framework, packages] of entries(frameworks)) {
      const here = new Map<string, { item: InventoryItem; entry: unknown }>()
      for (const [name, entry] of entries(packages)) {
        const type = text(entry, 'type')
        if (type === 'Project') continue
        const item = inventory.add({
          name,
          version: text(entry, 'resolved'),
          transitivity: type === 'Direct' ? 'DIRECT' : 'TRANSITIVE',
          line: lines.get(jsonPointer(['dependencies', framework, name])) ?? 0,
        })
        if (item) here.set(name.toLowerCase(), { item, entry })
      }
      for (const { item, entry } of here.values()) {
        for (const [name] of entries(member(entry, 'dependencies'))) {
          const needed = here.get(name.toLowerCase())
          if (needed) inventory.connect(item, needed.item)
        }
      }
    }
    return inventory.done()
  },
}
