import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { entries, isObject, jsonPointer, member, text } from '../json/safe-json.ts'
import { headText, readText } from '../text/bytes.ts'
import { parseYaml } from '../yaml/safe-yaml.ts'

/** pubspec.lock of Dart and Flutter. Packages from a path are the project's own and left out. */
export const pubspecLock: Format = {
  id: 'pubspec-lock',
  title: 'pubspec.lock',
  fileNames: [/^pubspec\.lock$/],

  recognises(head) {
    const shown = headText(head)
    if (!/^packages:/m.test(shown)) return false
    return /^ {4}dependency: ["']?(?:direct|transitive)/m.test(shown) || /^sdks?:/m.test(shown)
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const document = parseYaml(source.value, { locate: (path) => path.length === 2 && path[0] === 'packages' })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    if (!isObject(root) || member(root, 'packages') === undefined)
      return wrongFormat('The YAML has no packages, so it is not a pubspec.lock.')
    const inventory = createInventory('pub')
    for (const [name, entry] of entries(member(root, 'packages'))) {
      if (text(entry, 'source') === 'path') continue
      inventory.add({
        name,
        version: text(entry, 'version'),
        ...wanted(text(entry, 'dependency')),
        resolved: text(member(entry, 'description'), 'url'),
        line: lines.get(jsonPointer(['packages', name])) ?? 0,
      })
    }
    return inventory.done()
  },
}

/** `direct main`, `direct dev`, `direct overridden`, `transitive`. */
function wanted(dependency: string): Pick<InventoryItem, 'transitivity' | 'development'> {
  const transitivity = dependency.startsWith('direct')
    ? 'DIRECT'
    : dependency === 'transitive'
      ? 'TRANSITIVE'
      : 'UNKNOWN'
  return { transitivity, development: dependency === 'direct dev' }
}
