import { withoutCredentials } from '../address.ts'
import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { elements, member, outline, text } from '../json/safe-json.ts'
import { headText } from '../text/bytes.ts'

/**
 * Package.resolved of the Swift Package Manager, versions 1 to 3. A package is named by its repository, as SwiftPM and
 * advisories do. A pin to a branch or commit has no version; local packages are left out.
 */
export const packageResolved: Format = {
  id: 'package-resolved',
  title: 'Swift Package.resolved',
  fileNames: [/^Package\.resolved$/],

  recognises(head) {
    const members = outline(headText(head), 2)
    return members.has('/object/pins') || (members.has('/pins') && !members.has('/packages'))
  },

  read(chunks): Reading {
    const document = readJson(chunks, { locate: (path) => path[path.length - 2] === 'pins' && path.length <= 3 })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    const nested = member(root, 'pins') === undefined
    const pins = nested ? member(member(root, 'object'), 'pins') : member(root, 'pins')
    if (!Array.isArray(pins)) return wrongFormat('The JSON has no pins, so it is not a Package.resolved.')
    const inventory = createInventory('swiftpm')
    elements(pins).forEach((pin, at) => {
      if (text(pin, 'kind').startsWith('local')) return
      const location = withoutCredentials(text(pin, 'location') || text(pin, 'repositoryURL'))
      inventory.add({
        // A pin from a registry has no address: there the identity is the name.
        name: location || text(pin, 'identity') || text(pin, 'package'),
        version: text(member(pin, 'state'), 'version'),
        resolved: location,
        line: lines.get(`${nested ? '/object' : ''}/pins/${at}`) ?? 0,
      })
    })
    return inventory.done()
  },
}
