import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { fullHead } from '../text/lines.ts'
import { type LogicalLine, logicalLines } from './logical-lines.ts'
import { readRequirement } from './requirement.ts'
import { mayBeProject, readVia } from './via.ts'

/**
 * requirements.txt of pip. `==` and `===` give the version; a range, a wildcard or nothing gives '' and is no
 * problem: it is a fair way to write, only not a lock. Local paths are left out. Files that it includes (`-r`) are
 * read by themselves, and it is said where they were not uploaded. Versions that it leaves open are those of its
 * constraints (`-c`), which are not dependencies by themselves (pip, Constraints Files). Where pip-compile or uv wrote the file, their `# via` comments give the graph.
 */
export const requirements: Format = {
  id: 'requirements',
  title: 'pip requirements.txt',
  fileNames: [
    /^(?:.*[-_.])?requirements(?:[-_.].*)?\.(?:txt|in|pip)$/i,
    /^(?:.*[-_.])?constraints(?:[-_.].*)?\.(?:txt|in|pip)$/i,
  ],
  paths: [/(?:^|\/)requirements\/(?:[^/]+\/)?[^/]+\.(?:txt|in|pip)$/i],

  recognises(head, path) {
    let certain = 0
    let words = 0
    let bad = 0
    for (const { text } of linesOfHead(headText(head))) {
      const found = readRequirement(text)
      if (found.kind === 'bad') bad++
      else if (found.kind !== 'package' || found.certain) certain++
      else words++
    }
    const named = /requirements|constraints/i.test(path)
    if (bad > certain) return false
    return certain > (named ? 0 : words) || (named && bad === 0 && words > 0)
  },

  read(chunks, _name, beside): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const inventory = createInventory('pypi')
    const others = beside?.requirements
    if (others?.constrainsOnly) return inventory.done()
    const present = new Set(others?.present)
    const pins = new Map(others?.pins)
    const needed: [InventoryItem, string[]][] = []
    let good = 0
    let bad = 0
    for (const { text, line, via } of logicalLines(source.value)) {
      const found = readRequirement(text)
      if (found.kind === 'bad') bad++
      else good++
      if (found.kind === 'bad') inventory.problem(entryProblem('bad-line', `Not a requirement: ${shown(text)}.`, line))
      else if (found.kind === 'unnamed')
        inventory.problem(entryProblem('missing-name', `An address without a name: ${shown(text)}.`, line))
      else if (found.kind === 'include' && !present.has(found.file))
        inventory.problem(
          entryProblem('include-not-read', `The file includes ${shown(found.file)}, read that too.`, line),
        )
      if (found.kind !== 'package') continue
      if (found.unresolved && !pins.has(pypi.normalizeName(found.name)))
        inventory.problem(entryProblem('missing-version', `The version is a variable: ${shown(text)}.`, line))
      const by = readVia(via)
      const transitivity = by === undefined ? 'UNKNOWN' : by.direct ? 'DIRECT' : 'TRANSITIVE'
      const version = found.version || (found.resolved === '' && pins.get(pypi.normalizeName(found.name))) || ''
      const item = inventory.add({ ...found, version, transitivity, line })
      if (item && by) needed.push([item, by.parents])
    }
    if (good === 0 && bad > 0) return unreadable(fatalProblem('wrong-format', 'No line is a requirement.', 1))
    const isProject = mayBeProject(source.value)
    for (const [item, parents] of needed) {
      for (const parent of parents) {
        const namesakes = inventory.namesakes(parent)
        for (const from of namesakes) inventory.connect(from, item)
        if (namesakes.length === 0 && isProject(parent)) item.transitivity = 'DIRECT'
      }
    }
    return inventory.done()
  },
}

/** A line for people to find, without the credentials that addresses in it may have. */
function shown(text: string): string {
  return quote(
    text
      .slice(0, 1000)
      .replace(/:\/\/[^/\s]*@/g, '://')
      .replace(/\?\S*/g, ''),
  )
}

/** Without the last line of a full head, which may be cut off. */
function* linesOfHead(head: string): Generator<LogicalLine> {
  const end = head.length > fullHead ? head.lastIndexOf('\n') : head.length
  let count = 0
  for (const line of logicalLines(head.slice(0, Math.max(0, end)))) {
    if (count++ >= 200) return
    yield line
  }
}
