import { withoutCredentials } from '../address.ts'
import type { InventoryItem, Reading } from '../format.ts'
import { entries, isObject, type JsonObject, jsonPointer, member, text } from '../json/safe-json.ts'
import { createKeys } from '../json/unique-keys.ts'
import { isRuntime, splitNameAt, unusable } from '../npm-specifier.ts'
import { createProblems, entryProblem, quote } from '../problem.ts'
import { reachable } from '../reachable.ts'
import { packageId, withoutPeers } from './keys.ts'

/** A package as resolved with certain peers: several of them are one item. No item: a folder of the project, or its runtime. */
type Resolved = { item: InventoryItem | undefined; dependencies: unknown[] }

const runtimeFields = ['dependencies', 'optionalDependencies']
const developmentFields = ['devDependencies', 'configDependencies', 'packageManagerDependencies']

/** Gathers the packages of the documents of one file. */
export function createInventory() {
  const items = new Map<string, InventoryItem>()
  const keyFor = createKeys()
  const problems = createProblems()

  function add(document: JsonObject, majorVersion: number, lines: ReadonlyMap<string, number>): void {
    const resolved = new Map<string, Resolved>()
    const byBareKey = new Map<string, InventoryItem | undefined>()
    for (const [key, entry] of entries(member(document, 'packages'))) {
      const bareKey = withoutPeers(key, majorVersion)
      const line = lines.get(jsonPointer(['packages', key])) ?? 0
      const item = isNoPackage(key, entry) ? undefined : addPackage(key, bareKey, entry, majorVersion, line)
      if (item && 'fatal' in item) {
        problems.add(item)
        continue
      }
      byBareKey.set(bareKey, item)
      resolved.set(key, { item, dependencies: runtimeFields.map((field) => member(entry, field)) })
    }
    for (const [key, snapshot] of entries(member(document, 'snapshots'))) {
      const bareKey = withoutPeers(key, majorVersion)
      if (!byBareKey.has(bareKey)) continue
      const dependencies = runtimeFields.map((field) => member(snapshot, field))
      resolved.set(key, { item: byBareKey.get(bareKey), dependencies })
    }
    connect(document, majorVersion, resolved)
  }

  function addPackage(key: string, bareKey: string, entry: unknown, majorVersion: number, line: number) {
    const pointer = jsonPointer(['packages', key.slice(0, 200)])
    const id = packageId(key, entry, majorVersion)
    if (!id) return entryProblem('bad-key', `The key ${quote(key)} names no package and version.`, line, pointer)
    const problem = unusable(id.name, id.version, line, pointer)
    if (problem) return problem
    const development = text(entry, 'dev') === 'true'
    const identity = `${id.name}@${id.version} ${bareKey}`
    const known = items.get(identity)
    if (known) {
      known.development &&= development
      return known
    }
    const item: InventoryItem = {
      key: keyFor(`${id.name}@${id.version}`),
      ecosystem: 'npm',
      ...id,
      transitivity: 'UNKNOWN',
      development,
      licence: '',
      resolved: address(member(entry, 'resolution')),
      dependsOn: [],
      line,
    }
    items.set(identity, item)
    return item
  }

  return { add, reading: (): Reading => ({ items: [...items.values()], problems: problems.list() }) }
}

/** Edges, what the project asks for, and, where entries do not say it themselves, what it needs for development only. */
function connect(document: JsonObject, majorVersion: number, resolved: ReadonlyMap<string, Resolved>): void {
  const find = (name: string, wanted: unknown): Resolved | undefined => {
    const reference = typeof wanted === 'string' ? wanted : text(wanted, 'version')
    const spellings = [`${name}@${reference}`, `/${name}@${reference}`, `/${name}/${reference}`, reference]
    for (const spelling of spellings) {
      const found = resolved.get(spelling)
      if (found) return found
    }
    return undefined
  }
  const findAll = (holders: readonly unknown[]) =>
    holders.flatMap((holder) => entries(holder).flatMap(([name, wanted]) => find(name, wanted) ?? []))

  // Reached from one another as they were resolved: a package that two others share with different peers brings in
  // other packages for each of them, and only one of the two may be for development.
  const graph = new Map<Resolved, Resolved[]>()
  const direct = new Set<Resolved>()
  const runtime = new Set<Resolved>()
  for (const one of resolved.values()) {
    const targets = findAll(one.dependencies)
    graph.set(one, targets)
    if (one.item) continue
    for (const target of targets) runtime.add(target)
  }
  const importers = isObject(member(document, 'importers'))
    ? entries(member(document, 'importers'))
    : [['.', document] as const]
  for (const [, importer] of importers) {
    for (const target of findAll(runtimeFields.map((field) => member(importer, field)))) runtime.add(target)
    for (const target of findAll(developmentFields.map((field) => member(importer, field)))) direct.add(target)
  }
  for (const target of runtime) direct.add(target)

  const itemsOf = (all: Iterable<Resolved>) => new Set([...all].flatMap(({ item }) => item ?? []))
  const reached = (from: Set<Resolved>) => itemsOf(reachable(from, (one) => graph.get(one) ?? []))
  const [asked, needed, wanted] = [reached(direct), reached(runtime), itemsOf(direct)]
  const edges = new Map<InventoryItem, Set<string>>()
  for (const [{ item }, targets] of graph) {
    if (!item) continue
    const keys = edges.get(item) ?? new Set(item.dependsOn)
    for (const target of targets) if (target.item && target.item !== item) keys.add(target.item.key)
    edges.set(item, keys)
  }
  for (const [item, keys] of edges) {
    item.dependsOn = [...keys]
    if (wanted.has(item)) item.transitivity = 'DIRECT'
    else if (wanted.size > 0 && item.transitivity === 'UNKNOWN') item.transitivity = 'TRANSITIVE'
    if (majorVersion >= 9) item.development = asked.has(item) && !needed.has(item)
  }
}

/** A folder of the project, or the runtime that it asks for (`node@runtime:22.0.0`), which is not the package of that name. */
function isNoPackage(key: string, entry: unknown): boolean {
  const resolution = member(entry, 'resolution')
  if (isRuntime(splitNameAt(key).rest)) return true
  return key.startsWith('link:') || text(resolution, 'type') === 'directory' || text(resolution, 'directory') !== ''
}

function address(resolution: unknown): string {
  const tarball = text(resolution, 'tarball')
  const repository = text(resolution, 'repo')
  if (tarball === '' && repository !== '') return `${withoutCredentials(repository)}#${text(resolution, 'commit')}`
  return withoutCredentials(tarball)
}
