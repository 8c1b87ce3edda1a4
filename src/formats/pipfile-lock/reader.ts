import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { entries, isObject, jsonPointer, member, outline, text } from '../json/safe-json.ts'
import { headText } from '../text/bytes.ts'

/** Pipfile.lock of Pipenv. It has no graph and does not say what the Pipfile itself asks for. Local paths are left out. */
export const pipfileLock: Format = {
  id: 'pipfile-lock',
  title: 'Pipfile.lock',
  fileNames: [/^Pipfile\.lock$/],

  recognises(head) {
    const members = outline(headText(head), 2)
    return members.has('/_meta/pipfile-spec') || (members.has('/_meta/sources') && members.has('/default'))
  },

  read(chunks): Reading {
    const document = readJson(chunks, { locate: (path) => path.length === 2 && path[0] !== '_meta' })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    if (!isObject(member(root, '_meta'))) return wrongFormat('The JSON has no _meta, so it is not a Pipfile.lock.')
    const inventory = createInventory('pypi')
    for (const [category, packages] of entries(root)) {
      if (category === '_meta') continue
      for (const [name, entry] of entries(packages)) {
        if (member(entry, 'path') !== undefined) continue
        inventory.add({
          name,
          version: text(entry, 'version').replace(/^={2,3}\s*|^\*$/, ''),
          development: category === 'develop',
          resolved: text(entry, 'git') || text(entry, 'file'),
          line: lines.get(jsonPointer([category, name])) ?? 0,
        })
      }
    }
    return inventory.done()
  },
}
