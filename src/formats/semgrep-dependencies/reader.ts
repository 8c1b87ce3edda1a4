import type { RegistryEcosystemId } from '../../ecosystems/ecosystem.ts'
import { withoutCredentials } from '../address.ts'
import type { Format, InventoryItem, Problem, Reading } from '../format.ts'
import { type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { createProblems, entryProblem, quote } from '../problem.ts'
import { headText } from '../text/bytes.ts'

/** The packages of one lockfile, as `semgrep ci` tells of them: a list of `found_dependency` of semgrep_output_v1.atd. */
export const semgrepDependencies: Format = {
  id: 'semgrep-dependencies',
  title: 'Dependencies of semgrep ci',
  fileNames: [],
  recognises,
  read,
}

const ecosystemOf: Readonly<Record<string, RegistryEcosystemId>> = {
  npm: 'npm',
  pypi: 'pypi',
  gem: 'gem',
  gomod: 'gomod',
  cargo: 'cargo',
  maven: 'maven',
  composer: 'composer',
  nuget: 'nuget',
  pub: 'pub',
  swiftpm: 'swiftpm',
  cocoapods: 'cocoapods',
  mix: 'hex',
  hex: 'hex',
}

const transitivities: Readonly<Record<string, InventoryItem['transitivity']>> = {
  direct: 'DIRECT',
  transitive: 'TRANSITIVE',
}

function recognises(head: Uint8Array): boolean {
  const start = headText(head)
  return (
    /^\s*\[\s*\{/.test(start) &&
    ['package', 'allowed_hashes', 'transitivity'].every((key) => start.includes(`"${key}":`))
  )
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const broken: Problem[] = []
  const problems = createProblems()
  const items: InventoryItem[] = []
  /** Of equal entries, for example one for each module that has it, the first is what others depend on. */
  const keys = new Set<string>()
  for (const { path, value, line } of readJsonStream(chunks, onlyEntries, broken)) {
    const pointer = `/${path[0]}`
    const ecosystem = isObject(value) ? own(ecosystemOf, text(value, 'ecosystem')) : undefined
    if (!isObject(value) || !ecosystem || text(value, 'package') === '') {
      const what = quote(text(value, 'ecosystem'))
      problems.add(
        entryProblem('bad-entry', `The entry is not a package of an ecosystem we know: ${what}.`, line, pointer),
      )
      continue
    }
    const key = keyOf(value)
    items.push(toItem(value, ecosystem, keys.has(key) ? `${key}#${path[0]}` : key))
    keys.add(key)
  }
  const fatal = broken.find((problem) => problem.fatal)
  return fatal ? { items: [], problems: [fatal] } : { items, problems: [...broken, ...problems.list()] }
}

function toItem(entry: JsonObject, ecosystem: RegistryEcosystemId, key: string): InventoryItem {
  const line = member(entry, 'line_number')
  const version = installedVersion(text(entry, 'version'))
  return {
    key,
    ecosystem,
    name: text(entry, 'package'),
    // Semgrep leaves out the letter that every version of a Go module begins with.
    version: ecosystem === 'gomod' && /^\d/.test(version) ? `v${version}` : version,
    transitivity: own(transitivities, text(entry, 'transitivity')) ?? 'UNKNOWN',
    development: false,
    licence: '',
    resolved: withoutCredentials(text(entry, 'resolved_url')),
    dependsOn: elements(member(entry, 'children')).map(keyOf),
    line: typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : 0,
  }
}

/** A range that a requirements file asks for says nothing about what is installed. */
function installedVersion(written: string): string {
  return /^\s*[<>!~=*]/.test(written) ? '' : written
}

function keyOf(entry: unknown): string {
  return `${text(entry, 'package')}@${text(entry, 'version')}`
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function onlyEntries(path: JsonPath, kind: JsonKind): 'parse' | 'enter' | 'skip' {
  if (path.length === 0) return kind === 'array' ? 'enter' : 'skip'
  return 'parse'
}
