import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { eachLine, headLines } from '../text/lines.ts'
import { selectedBy } from './selection.ts'

const sum = /^(\S{1,500}) (v[^\s/]{1,200})(\/go\.mod)? h1:\S{1,100}$/

/**
 * go.sum: the modules whose content was checked. It may keep ones that are no longer used, and does not say who
 * needs them: the go.mod of the same folder tells, where it was uploaded too. A module of which only the go.mod was
 * looked at is not in the build and left out.
 */
export const goSum: Format = {
  id: 'go-sum',
  title: 'go.sum',
  fileNames: [/^go\.sum$/],

  recognises(head) {
    const first = headLines(headText(head), 20).find((line) => line.trim() !== '')
    return first !== undefined && sum.test(first)
  },

  read(chunks, _name, beside): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const inventory = createInventory('gomod')
    let good = 0
    let bad = 0
    for (const { text, line } of eachLine(source.value)) {
      if (text.trim() === '') continue
      const [, name, version, modOnly] = sum.exec(text) ?? []
      if (name === undefined || version === undefined) {
        bad++
        inventory.problem(entryProblem('bad-line', `Line ${line} is not a line of a go.sum: ${quote(text)}.`, line))
        continue
      }
      good++
      if (!modOnly) inventory.add({ name, version, line })
    }
    if (good === 0 && bad > 0) return unreadable(fatalProblem('wrong-format', 'No line is one of a go.sum.', 1))
    const reading = inventory.done()
    return beside?.goMod ? { ...reading, items: selectedBy(beside.goMod, reading.items) } : reading
  },
}
