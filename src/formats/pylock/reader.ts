import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable, withOrphansDirect, wrongFormat } from '../inventory.ts'
import { headText } from '../text/bytes.ts'
import { headerLines, readToml, tableIn, tablesIn, textIn } from '../toml/safe-toml.ts'
import { tomlHead } from '../toml/toml-head.ts'

/** pylock.toml (PEP 751), lock-version 1.x. A package that is a folder is the project's own and left out. */
export const pylock: Format = {
  id: 'pylock',
  title: 'pylock.toml (PEP 751)',
  fileNames: [/^pylock(?:\.[^.]+)?\.toml$/],

  recognises(head) {
    const top = tomlHead(headText(head))?.keys.get('')
    return Boolean(top?.has('lock-version') && top.has('created-by'))
  },

  read(chunks): Reading {
    const document = readToml(chunks)
    if (document.problem) return unreadable(document.problem)
    const { table, text } = document.value
    const lockVersion = textIn(table, 'lock-version')
    if (Object.keys(table).length > 0 && !/^1\.\d{1,4}$/.test(lockVersion) && !('packages' in table))
      return wrongFormat('The TOML has neither lock-version 1 nor packages, so it is not a pylock.toml.')
    if (lockVersion !== '' && !lockVersion.startsWith('1.'))
      return wrongFormat('Only lock-version 1 of pylock.toml can be read.')
    const packages = tablesIn(table, 'packages')
    const lines = headerLines(text, 'packages', packages.length)
    const inventory = createInventory('pypi')
    const items = packages.map((entry, at) => {
      if (tableIn(entry, 'directory')) return undefined
      const from = tableIn(entry, 'vcs') ?? tableIn(entry, 'archive') ?? {}
      return inventory.add({
        name: textIn(entry, 'name'),
        version: textIn(entry, 'version'),
        resolved: textIn(from, 'url') || textIn(entry, 'index'),
        line: lines[at] ?? 0,
      })
    })
    let hasGraph = false
    packages.forEach((entry, at) => {
      const needs = tablesIn(entry, 'dependencies')
      hasGraph ||= needs.length > 0
      for (const need of needs) {
        const item = items[at]
        if (item) inventory.connectByName(item, textIn(need, 'name'))
      }
    })
    return hasGraph ? withOrphansDirect(inventory.done()) : inventory.done()
  },
}
