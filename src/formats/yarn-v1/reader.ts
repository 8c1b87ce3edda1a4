import { withoutCredentials } from '../address.ts'
import type { Format, InventoryItem, Reading } from '../format.ts'
import { withOrphansDirect } from '../inventory.ts'
import { createKeys } from '../json/unique-keys.ts'
import { aliasTarget, isLocal, splitNameAt, unusable } from '../npm-specifier.ts'
import { createProblems, entryProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { parseEntries, type YarnEntry } from './entries.ts'

/** yarn.lock of Yarn 1. It does not say what is for development, nor what the project asks for beside other packages. */
export const yarnV1: Format = {
  id: 'yarn-v1',
  title: 'Yarn 1 yarn.lock',
  fileNames: [/^yarn\.lock$/],

  recognises(head) {
    const text = headText(head)
    if (/^# yarn lockfile v1\r?$/m.test(text)) return true
    // Without the comment: the first entry, whose version stands behind a space where Yarn 2 has a colon.
    const lines = text.split('\n', 200).filter((line) => line.trim() !== '' && !line.startsWith('#'))
    return /^\S/.test(lines[0] ?? '') && lines[0]!.trimEnd().endsWith(':') && /^ {2}version "/.test(lines[1] ?? '')
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return { items: [], problems: [source.problem] }
    const entries = parseEntries(source.value)
    if (entries.problem) return { items: [], problems: [entries.problem] }
    return toReading(entries.value)
  },
}

function toReading(entries: readonly YarnEntry[]): Reading {
  const problems = createProblems()
  const keyFor = createKeys()
  const read: { entry: YarnEntry; item: InventoryItem }[] = []
  const byPattern = new Map<string, InventoryItem>()
  const byName = new Map<string, Set<InventoryItem>>()
  for (const entry of entries) {
    if (entry.patterns.some((pattern) => isLocal(splitNameAt(pattern).rest))) continue
    const item = toItem(entry)
    const problem = unusable(item.name, item.version, entry.line, '')
    if (problem) {
      problems.add(problem)
      continue
    }
    if (item.version === '') {
      problems.add(entryProblem('missing-version', `${quote(item.name)} has no version.`, entry.line))
    }
    item.key = keyFor(`${item.name}@${item.version}`)
    read.push({ entry, item })
    for (const pattern of entry.patterns) {
      byPattern.set(pattern, item)
      const { name } = splitNameAt(pattern)
      byName.set(name, (byName.get(name) ?? new Set()).add(item))
    }
  }
  const find = (name: string, range: string) => {
    const exact = byPattern.get(`${name}@${range}`)
    if (exact) return exact
    // `resolutions` of the project replace the range that was asked for; then there is one entry for all.
    const named = byName.get(name)
    return named?.size === 1 ? [...named][0] : undefined
  }
  for (const { entry, item } of read) {
    const found = entry.dependencies.map(([name, range]) => find(name, range)?.key)
    item.dependsOn = [...new Set(found.filter((key) => key !== undefined && key !== item.key))] as string[]
  }
  return withOrphansDirect({ items: read.map(({ item }) => item), problems: problems.list() })
}

function toItem(entry: YarnEntry): InventoryItem {
  const { name, rest } = splitNameAt(entry.patterns[0]!)
  return {
    key: '',
    ecosystem: 'npm',
    name: aliasTarget(rest)?.name ?? name,
    version: entry.version,
    transitivity: 'UNKNOWN',
    development: false,
    licence: '',
    resolved: withoutCredentials(entry.resolved),
    dependsOn: [],
    line: entry.line,
  }
}
