import { withoutCredentials } from '../address.ts'
import type { InventoryItem, Reading } from '../format.ts'
import { elements, entries, isObject, type JsonObject, jsonPointer, keys, member, text } from '../json/safe-json.ts'
import { isLocal, unusable } from '../npm-specifier.ts'
import { createTreeNode, resolvePackage, type TreeNode, treeNodeAt } from '../package-tree.ts'
import { createProblems, entryProblem, quote } from '../problem.ts'

/** One entry of `packages`: an installed package, or (without item) a folder of the project itself or a link to one. */
type Installed = { entry: JsonObject; item: InventoryItem | undefined; linksTo: string }

const runtimeFields = ['dependencies', 'optionalDependencies', 'peerDependencies']
const projectFields = [...runtimeFields, 'devDependencies']
/** Real trees have about ten levels; each costs a step in every lookup. */
const maxLevels = 64
const maxLocationLength = 4096

/** `packages` of lockfileVersion 2 and 3: install locations, `node_modules/a/node_modules/b`, with their entries. */
export function readPackages(packages: unknown, lines: ReadonlyMap<string, number>): Reading {
  const problems = createProblems()
  const root = createTreeNode<Installed>(undefined)
  const folders = new Map<string, TreeNode<Installed>>([['', root]])
  const places: TreeNode<Installed>[] = []

  for (const [location, entry] of shortestFirst(entries(packages))) {
    const tooLong = location.length > maxLocationLength
    const pointer = tooLong ? '/packages' : jsonPointer(['packages', location])
    const line = lines.get(pointer) ?? 0
    const [folder, ...names] = tooLong ? [] : splitLocation(location)
    if (!isObject(entry) || folder === undefined || names.length + folder.split('/').length > maxLevels) {
      problems.add(entryProblem('bad-entry', `The entry ${quote(location)} cannot be read.`, line, pointer))
      continue
    }
    const place = treeNodeAt(folderPlace(folders, folder), names)
    place.content = { entry, item: undefined, linksTo: '' }
    places.push(place)
    if (names.length === 0) continue
    if (member(entry, 'link') === true) {
      place.content.linksTo = text(entry, 'resolved')
    } else if (!isLocal(text(entry, 'resolved'))) {
      const item = toItem(location, names.at(-1)!, entry, line)
      const problem = unusable(item.name, item.version, line, pointer)
      if (problem) problems.add(problem)
      else place.content.item = item
    }
  }
  connect(places, folders, root.content !== undefined)
  return { items: places.flatMap(({ content }) => content?.item ?? []), problems: problems.list() }
}

/** Edges, and with them who is needed by the project itself: its root, workspaces and linked folders. */
function connect(
  places: readonly TreeNode<Installed>[],
  folders: ReadonlyMap<string, TreeNode<Installed>>,
  hasRoot: boolean,
) {
  for (const place of places) {
    const { entry, item, linksTo } = place.content!
    if (linksTo !== '') continue
    const found = new Set<InventoryItem>()
    for (const field of item ? runtimeFields : projectFields) {
      for (const name of keys(member(entry, field))) {
        let target = resolvePackage(place, name)?.content
        if (target?.linksTo) target = folders.get(target.linksTo)?.content
        if (target?.item) found.add(target.item)
      }
    }
    if (item) {
      item.dependsOn = [...found].map(({ key }) => key)
      if (item.transitivity === 'UNKNOWN' && hasRoot) item.transitivity = 'TRANSITIVE'
    } else {
      for (const direct of found) direct.transitivity = 'DIRECT'
    }
  }
}

function toItem(location: string, folderName: string, entry: JsonObject, line: number): InventoryItem {
  return {
    key: location,
    ecosystem: 'npm',
    // npm writes the name only where the folder has another one: an alias.
    name: text(entry, 'name') || folderName,
    version: text(entry, 'version'),
    transitivity: 'UNKNOWN',
    // `devOptional` is needed by an optional dependency too, so that leaving out development keeps it.
    development: member(entry, 'dev') === true,
    licence: licenceText(member(entry, 'license') ?? member(entry, 'licenses')),
    resolved: withoutCredentials(text(entry, 'resolved')),
    dependsOn: [],
    line,
  }
}

/** A string today; packages from before 2015 have `{type, url}` or a list of these to choose from. */
function licenceText(licence: unknown): string {
  if (typeof licence === 'string') return licence
  if (isObject(licence)) return text(licence, 'type')
  const choices = elements(licence).map((item) => (typeof item === 'string' ? item : text(item, 'type')))
  return choices.filter((choice) => choice !== '').join(' OR ')
}

/** The folder before the first node_modules, then the name of each package below it. */
function splitLocation(location: string): string[] {
  const parts = location.split(/(?:^|\/)node_modules\//)
  return parts.length === 1 ? [location] : parts
}

/** A folder finds packages in the nearest folder around it; one outside the project finds only its own. */
function folderPlace(folders: Map<string, TreeNode<Installed>>, folder: string): TreeNode<Installed> {
  const known = folders.get(folder)
  if (known) return known
  let around: string | undefined = folder
  do {
    const slash: number = around.lastIndexOf('/')
    around = slash === -1 ? '' : around.slice(0, slash)
  } while (!folders.has(around))
  const outside = around === '' && folder.startsWith('..')
  const place = createTreeNode<Installed>(outside ? undefined : folders.get(around))
  folders.set(folder, place)
  return place
}

/** Outer folders must be there before the ones inside them. */
function shortestFirst(packages: [string, unknown][]): [string, unknown][] {
  const folders = packages.filter(([location]) => !location.includes('node_modules/'))
  folders.sort(([a], [b]) => a.length - b.length)
  return [...folders, ...packages.filter(([location]) => location.includes('node_modules/'))]
}
