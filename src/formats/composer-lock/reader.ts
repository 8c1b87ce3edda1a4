import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable, withOrphansDirect, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { elements, entries, member, outline, text } from '../json/safe-json.ts'
import { headText } from '../text/bytes.ts'

/** composer.lock of Composer 1 and 2. A package that is a folder (`path`) is the project's own and left out. */
export const composerLock: Format = {
  id: 'composer-lock',
  title: 'composer.lock',
  fileNames: [/^composer\.lock$/],

  recognises(head) {
    const members = outline(headText(head), 1)
    if (!members.has('/packages') || members.has('/lockfileVersion')) return false
    return members.has('/content-hash') || members.has('/packages-dev') || members.has('/hash')
  },

  read(chunks): Reading {
    const document = readJson(chunks, {
      locate: (path) => path.length === 2 && (path[0] === 'packages' || path[0] === 'packages-dev'),
    })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    if (!Array.isArray(member(root, 'packages')))
      return wrongFormat('The JSON has no list of packages, so it is not a composer.lock.')
    const inventory = createInventory('composer')
    const requirements: [InventoryItem, unknown][] = []
    for (const list of ['packages', 'packages-dev']) {
      elements(member(root, list)).forEach((entry, at) => {
        const dist = member(entry, 'dist')
        if (text(dist, 'type') === 'path') return
        const item = inventory.add({
          name: text(entry, 'name'),
          version: versionOf(entry),
          development: list === 'packages-dev',
          licence: licenceOf(entry),
          resolved: text(dist, 'url') || text(member(entry, 'source'), 'url'),
          line: lines.get(`/${list}/${at}`) ?? 0,
        })
        if (item) requirements.push([item, member(entry, 'require')])
      })
    }
    for (const [item, required] of requirements) {
      for (const [name] of entries(required)) inventory.connectByName(item, name)
    }
    return withOrphansDirect(inventory.done())
  },
}

/** PHP makes a number of a version such as 20180828 where it is the key of an array, as it is in some repositories. */
function versionOf(entry: unknown): string {
  const written = member(entry, 'version')
  return Number.isSafeInteger(written) ? String(written) : text(entry, 'version')
}

/** Several licences in the list are a choice (getcomposer.org, schema, license). */
function licenceOf(entry: unknown): string {
  const licence = member(entry, 'license')
  const all = (typeof licence === 'string' ? [licence] : elements(licence)).filter((one) => typeof one === 'string')
  return (all.length > 1 ? all.map((one) => (/\s/.test(one) ? `(${one})` : one)).join(' OR ') : (all[0] ?? '')).slice(
    0,
    500,
  )
}
