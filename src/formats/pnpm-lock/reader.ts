import type { Format, Reading } from '../format.ts'
import { isObject, text } from '../json/safe-json.ts'
import { fatalProblem } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { parseYamlDocuments } from '../yaml/safe-yaml.ts'
import { createInventory } from './inventory.ts'

/** pnpm-lock.yaml of pnpm 3 to 12: lockfileVersion 5.0 to 9.0. */
export const pnpmLock: Format = {
  id: 'pnpm-lock',
  title: 'pnpm-lock.yaml',
  fileNames: [/^pnpm-lock\.yaml$/],

  recognises(head) {
    const start = headText(head)
    if (/^lockfileVersion: ['"]?\d/m.test(start)) return true
    // Up to 5.2 the members are sorted, so that the version comes after all that the project asks for.
    return /^importers:\s*$/m.test(start) && /^ {4}specifiers:/m.test(start)
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return { items: [], problems: [source.problem] }
    const parsed = parseYamlDocuments(source.value, { locate: (path) => path.length === 2 && path[0] === 'packages' })
    if (parsed.problem) return { items: [], problems: [parsed.problem] }
    // From pnpm 11 on a first document has pnpm itself and its plugins, and the last one the project.
    const inventory = createInventory()
    for (const { value, lines } of parsed.value) {
      const majorVersion = Number.parseInt(text(value, 'lockfileVersion'), 10)
      if (value === '') continue
      if (!isObject(value) || !(majorVersion >= 5)) {
        const detail = 'The YAML has no lockfileVersion of 5 or more, so it is not a pnpm-lock.yaml that can be read.'
        return { items: [], problems: [fatalProblem('wrong-format', detail)] }
      }
      inventory.add(value, majorVersion, lines)
    }
    return inventory.reading()
  },
}
