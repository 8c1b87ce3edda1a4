import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, type Inventory, unreadable, withOrphansDirect } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, lineCounter, readText } from '../text/bytes.ts'
import { readTerm, type Term, TermFault } from './term.ts'

/** mix.lock of Elixir. A git dependency has a commit and no version; one from a path is the project's own and left out. */
export const mixLock: Format = {
  id: 'mix-lock',
  title: 'mix.lock',
  fileNames: [/^mix\.lock$/],

  recognises(head) {
    const start = headText(head).slice(0, 4000).trimStart()
    return /^%\{\s*(?:\}\s*$|"?[\w@]+"?(?::| =>)\s*\{:(?:hex|git|path)\b)/.test(start)
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const inventory = createInventory('hex')
    const lineAt = lineCounter(source.value)
    const needs: [InventoryItem, Term | undefined][] = []
    try {
      readTerm(source.value, (entry) => {
        const line = lineAt(entry.kind === 'pair' ? entry.at : 0)
        const added = addEntry(inventory, entry, line)
        if (added) needs.push(added)
      })
    } catch (error) {
      if (!(error instanceof TermFault)) throw error
      const line = lineCounter(source.value)(error.at)
      const cut = error.at >= source.value.trimEnd().length
      const detail = `Line ${line} is not read: ${quote(source.value.slice(error.at, error.at + 40))}.`
      const [code, said] = cut ? ['truncated', 'The document ends too early.'] : ['bad-syntax', detail]
      if (needs.length === 0) return unreadable(fatalProblem(code, said, line))
      inventory.problem(entryProblem(code, said, line))
    }
    for (const [item, list] of needs) {
      for (const need of itemsOf(list)) inventory.connectByName(item, wordOf(itemsOf(need)[0]))
    }
    return withOrphansDirect(inventory.done())
  },
}

/** `{:hex, :name, "version", "checksum", managers, dependencies, ...}` or `{:git, "address", "commit", options}`. */
function addEntry(inventory: Inventory, entry: Term, line: number): [InventoryItem, Term | undefined] | undefined {
  const key = entry.kind === 'pair' ? entry.key : ''
  const [source, second, third, , , needs] = entry.kind === 'pair' ? itemsOf(entry.value) : []
  const kind = wordOf(source)
  if (kind === 'path') return undefined
  let item: InventoryItem | undefined
  if (kind === 'hex' && third?.kind === 'text')
    item = inventory.add({ name: wordOf(second), version: third.value, line })
  else if (kind === 'git' && second) item = inventory.add({ name: key, version: '', resolved: wordOf(second), line })
  else inventory.problem(entryProblem('bad-entry', `${quote(key)} is locked to nothing that is known.`, line))
  return item && [item, kind === 'hex' ? needs : undefined]
}

function itemsOf(term: Term | undefined): Term[] {
  return term && 'items' in term ? term.items : []
}

function wordOf(term: Term | undefined): string {
  return term && (term.kind === 'text' || term.kind === 'atom') ? term.value : ''
}
