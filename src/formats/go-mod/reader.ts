import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { headLines } from '../text/lines.ts'
import { goDirectives, isLocalPath } from './directives.ts'

/**
 * go.mod: the modules it requires, each replaced where it says so; what is replaced by a folder is left out.
 * Versions keep their `v`. The Go release itself (`go`, `toolchain`) is not a module and not listed.
 */
export const goMod: Format = {
  id: 'go-mod',
  title: 'go.mod',
  fileNames: [/^go\.mod$/],

  recognises(head) {
    const lines = headLines(headText(head), 400).map((line) => line.trim())
    const first = lines.find((line) => line !== '' && !line.startsWith('//'))
    if (first === undefined) return false
    return (
      /^module\s+[^\s=:]+$/.test(first.split('//', 1)[0]!.trim()) ||
      /^(?:require|replace)\s*(?:\(|\S+\s+v\d)/.test(first)
    )
  },

  read(chunks): Reading {
    const source = readText(chunks)
    return source.problem ? unreadable(source.problem) : readGoMod(source.value)
  },
}

export function readGoMod(text: string): Reading {
  const inventory = createInventory('gomod')
  const replaced = new Map<string, { name: string; version: string }>()
  let known = false
  let empty = true
  // Two passes instead of a list: a hostile file has millions of lines.
  for (const { verb, words } of goDirectives(text)) {
    empty = false
    known ||= verb !== ''
    const arrow = words.indexOf('=>')
    if (verb !== 'replace' || arrow < 1) continue
    replaced.set(words.slice(0, arrow).join(' '), { name: words[arrow + 1] ?? '', version: words[arrow + 2] ?? '' })
  }
  if (!known && !empty) return unreadable(fatalProblem('wrong-format', 'No line is one of a go.mod.', 1))
  for (const { verb, words, line, indirect, text: written } of goDirectives(text)) {
    if (verb === '' || (verb === 'require' && words.length !== 2) || (verb === 'replace' && !words.includes('=>')))
      inventory.problem(entryProblem('bad-line', `Line ${line} is not a line of a go.mod: ${quote(written)}.`, line))
    else if (verb === 'require') {
      const [name = '', version = ''] = words
      // A replacement for one version goes before one for all (go.dev/ref/mod#go-mod-file-replace).
      const instead = replaced.get(`${name} ${version}`) ?? replaced.get(name) ?? { name, version }
      if (isLocalPath(instead.name)) continue
      inventory.add({ ...instead, transitivity: indirect ? 'TRANSITIVE' : 'DIRECT', line })
    }
  }
  return inventory.done()
}
