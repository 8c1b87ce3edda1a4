import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { eachLine, headLines } from '../text/lines.ts'

const sections = /^(?:GEM|GIT|PATH|PLUGIN SOURCE|PLATFORMS|DEPENDENCIES|CHECKSUMS|RUBY VERSION|BUNDLED WITH)$/
const gem = /^ {4}(\S+)(?: \(([^()]*)\))?$/
const need = /^ {6}(\S+)(?: \([^()]*\))?$/
const wanted = /^ {2}([^\s!]+)(?: \([^()]*\))?!?$/

/**
 * Gemfile.lock and gems.locked of Bundler. The platform of a gem (`1.13.3-x86_64-linux`) is dropped from its version,
 * so that the builds of one release are one item. Gems from a path are kept: they have versions of their own.
 * They are the project's, so what they need is direct: a gemspec has all that the project runs with, and the Gemfile only names it.
 */
export const gemfileLock: Format = {
  id: 'gemfile-lock',
  title: 'Gemfile.lock',
  fileNames: [/^Gemfile\.lock$/, /^gems\.locked$/, /^[\w.-]+\.gemfile\.lock$/],

  recognises(head) {
    const lines = headLines(headText(head), 100).filter((line) => line !== '')
    return sections.test(lines[0] ?? '') && /^ {2,3}\S/.test(lines[1] ?? '')
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const inventory = createInventory('gem')
    const needs: [InventoryItem, string][] = []
    const direct: string[] = []
    let section = ''
    let remote = ''
    let remotes = 0
    let current: InventoryItem | undefined
    for (const { text, line } of eachLine(source.value)) {
      if (text.trim() === '') continue
      if (/^\S/.test(text)) {
        section = sections.test(text) ? text : ''
        remote = ''
        remotes = 0
        current = undefined
        if (section === '') inventory.problem(badLine(text, line))
      } else if (section === 'DEPENDENCIES') {
        const name = wanted.exec(text)?.[1]
        if (name !== undefined) direct.push(name)
        else inventory.problem(badLine(text, line))
      } else if (/^(?:GEM|GIT|PATH|PLUGIN SOURCE)$/.test(section)) {
        const [, name, version] = gem.exec(text) ?? []
        const needed = need.exec(text)?.[1]
        if (name !== undefined && version) {
          const resolved = section === 'PATH' ? `path:${remote}` : remote
          current = inventory.add({ name, version: withoutPlatform(version), resolved, line })
        } else if (needed !== undefined) {
          if (current) needs.push([current, needed])
          if (section === 'PATH') direct.push(needed)
        } else if (text.startsWith('  remote: ')) {
          remote = remotes === 0 ? text.slice(10) : '' // of several, the lock does not say which one a gem is from
          remotes++
        } else if (!/^ {2}[a-z_]+:/.test(text)) inventory.problem(badLine(text, line))
      }
    }
    for (const [item, name] of needs) inventory.connectByName(item, name)
    return finish(inventory.done(), direct)
  },
}

function finish(reading: Reading, direct: string[]): Reading {
  if (reading.items.length === 0 && direct.length === 0 && reading.problems.length > 0)
    return unreadable(fatalProblem('wrong-format', 'No section is one of a Gemfile.lock.', 1))
  const names = new Set(direct)
  for (const item of reading.items) item.transitivity = names.has(item.name) ? 'DIRECT' : 'TRANSITIVE'
  return reading
}

/** RubyGems allows no hyphen in a version, so what follows one is the platform. */
function withoutPlatform(version: string): string {
  return version.split('-', 1)[0]!
}

function badLine(text: string, line: number) {
  return entryProblem('bad-line', `Line ${line} is not a line of a Gemfile.lock: ${quote(text)}.`, line)
}
