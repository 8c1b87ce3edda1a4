import type { EcosystemId } from '../ecosystems/ecosystem.ts'
import { ecosystems } from '../ecosystems/registry.ts'
import { withoutCredentials } from './address.ts'
import type { InventoryItem, Problem, Reading } from './format.ts'
import { entryProblem, fatalProblem, quote } from './problem.ts'

/** What a reader found of one dependency; what it leaves out says nothing. */
export type Entry = { name: string; version: string } & Partial<
  Pick<InventoryItem, 'transitivity' | 'development' | 'licence' | 'resolved' | 'line'>
>

const maxItems = 500_000
const maxEdges = 1_000_000
const maxProblems = 200
const maxNameLength = 500
const maxVersionLength = 200
/** Of several versions of one package, an edge that gives only the name leads to each; a hostile file has thousands. */
const maxSameName = 20

/**
 * Collects the items of one document: the same name and version twice is one item, and edges are only kept between
 * items that are there. What a document can make long (names, items, edges, problems) has a bound.
 */
export function createInventory(ecosystem: EcosystemId) {
  const { normalizeName } = ecosystems[ecosystem]
  const items = new Map<string, InventoryItem>()
  const byName = new Map<string, InventoryItem[]>()
  const edges = new Map<InventoryItem, Set<string>>()
  const problems: Problem[] = []
  let edgeCount = 0
  let unsaidProblems = 0
  let full = false

  /** Undefined where the entry is refused; the problem is noted. */
  function add(entry: Entry): InventoryItem | undefined {
    const fault = entryFault(entry)
    if (fault) {
      problem(entryProblem('bad-entry', fault, entry.line ?? 0))
      return undefined
    }
    const key = `${entry.name}@${entry.version}`
    const known = items.get(key)
    if (known) return merge(known, entry)
    if (items.size >= maxItems) {
      full = true
      return undefined
    }
    const item = toItem(key, ecosystem, entry)
    items.set(key, item)
    const same = namesakes(entry.name)
    if (same.length === 0) byName.set(normalizeName(entry.name), [item])
    else if (same.length < maxSameName) same.push(item)
    return item
  }

  /** All versions of a package in this document. */
  function namesakes(name: string): InventoryItem[] {
    return byName.get(normalizeName(name)) ?? []
  }

  function connect(from: InventoryItem, to: InventoryItem): void {
    if (edgeCount >= maxEdges) return
    const targets = edges.get(from) ?? new Set()
    if (targets.has(to.key)) return
    targets.add(to.key)
    edges.set(from, targets)
    edgeCount++
  }

  /** An edge by name alone. A name that is not in the document is left out: it is not installed. */
  function connectByName(from: InventoryItem, name: string): void {
    for (const to of namesakes(name)) connect(from, to)
  }

  function problem(found: Problem): void {
    if (problems.length < maxProblems) problems.push(found)
    else unsaidProblems++
  }

  function done(): Reading {
    if (full) problem(entryProblem('too-large', `Only the first ${maxItems} entries are read.`))
    if (edgeCount >= maxEdges) problem(entryProblem('too-large', `Only the first ${maxEdges} edges are read.`))
    if (unsaidProblems > 0)
      problems.push(entryProblem('more-problems', `${unsaidProblems} further problems are not listed.`))
    for (const [item, targets] of edges) item.dependsOn = [...targets]
    return { items: [...items.values()], problems }
  }

  return { add, connect, connectByName, namesakes, problem, done, all: () => [...items.values()] }
}

export type Inventory = ReturnType<typeof createInventory>

export function unreadable(problem: Problem): Reading {
  return { items: [], problems: [problem] }
}

export function wrongFormat(detail: string): Reading {
  return unreadable(fatalProblem('wrong-format', detail))
}

/**
 * For locks that do not list what the project itself asks for: what no other entry needs can only be there because
 * the project asks for it. Of the rest nobody can tell.
 */
export function withOrphansDirect(reading: Reading): Reading {
  const needed = new Set(reading.items.flatMap((item) => item.dependsOn.filter((key) => key !== item.key)))
  for (const item of reading.items) {
    if (item.transitivity === 'UNKNOWN' && !needed.has(item.key)) item.transitivity = 'DIRECT'
  }
  return reading
}

function toItem(key: string, ecosystem: EcosystemId, entry: Entry): InventoryItem {
  return {
    key,
    ecosystem,
    name: entry.name,
    version: entry.version,
    transitivity: entry.transitivity ?? 'UNKNOWN',
    development: entry.development ?? false,
    licence: entry.licence ?? '',
    resolved: safeAddress(entry.resolved ?? ''),
    dependsOn: [],
    line: entry.line ?? 0,
  }
}

/** What is so mangled that a user may still be in it is not an address to keep. */
function safeAddress(address: string): string {
  const clean = withoutCredentials(address)
  return /\/\/[^/?#]*@|[\s\p{Cc}]/u.test(clean) ? '' : clean
}

function merge(known: InventoryItem, entry: Entry): InventoryItem {
  known.development &&= entry.development ?? false
  if (entry.transitivity === 'DIRECT' || known.transitivity === 'UNKNOWN')
    known.transitivity = entry.transitivity ?? known.transitivity
  known.licence ||= entry.licence ?? ''
  known.resolved ||= safeAddress(entry.resolved ?? '')
  return known
}

function entryFault({ name, version }: Entry): string | undefined {
  if (name === '') return 'An entry has no name.'
  if (name.length > maxNameLength) return `The name ${quote(name)} is longer than ${maxNameLength} characters.`
  if (/[\s\p{Cc}]/u.test(name)) return `The name ${quote(name)} has blanks or control characters in it.`
  if (version.length > maxVersionLength)
    return `The version ${quote(version)} of ${quote(name)} is longer than ${maxVersionLength} characters.`
  if (/[\s\p{Cc}]/u.test(version))
    return `The version ${quote(version)} of ${quote(name)} has blanks or control characters in it.`
  return undefined
}
