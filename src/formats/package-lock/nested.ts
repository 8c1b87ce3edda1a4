import { withoutCredentials } from '../address.ts'
import type { InventoryItem, Reading } from '../format.ts'
import { entries, isObject, type JsonObject, jsonPointer, keys, member, text } from '../json/safe-json.ts'
import { aliasTarget, isLocal, isRegistryVersion, unusable, versionOfArchive } from '../npm-specifier.ts'
import { createTreeNode, resolvePackage, type TreeNode, treeNodeAt } from '../package-tree.ts'
import { createProblems, entryProblem, quote } from '../problem.ts'

/** Real paths have some hundred characters. */
const maxPathLength = 1024

type Installed = { entry: JsonObject; item: InventoryItem | undefined }

/** `dependencies` of lockfileVersion 1 and of older shrinkwraps: packages nested in the packages that hold them. */
export function readNested(root: unknown, lines: ReadonlyMap<string, number>): Reading {
  const problems = createProblems()
  const places: TreeNode<Installed>[] = []
  const top = createTreeNode<Installed>(undefined)

  const visit = (holder: unknown, around: TreeNode<Installed>, path: string) => {
    for (const [name, entry] of entries(member(holder, 'dependencies'))) {
      // Every package below carries its path, so that a few long ones could fill the memory.
      const tooLong = path.length + name.length > maxPathLength
      const pointer = tooLong ? path : path + jsonPointer(['dependencies', name])
      const line = lines.get(pointer) ?? 0
      if (!isObject(entry) || tooLong) {
        problems.add(entryProblem('bad-entry', `The entry ${quote(name)} cannot be read.`, line, pointer))
        continue
      }
      const place = treeNodeAt(around, [name])
      place.content = { entry, item: undefined }
      places.push(place)
      if (!isLocal(text(entry, 'version'))) {
        const item = toItem(pointer, name, entry, line)
        const problem = unusable(item.name, item.version, line, pointer)
        if (problem) problems.add(problem)
        else place.content.item = item
      }
      visit(entry, place, pointer)
    }
  }
  visit(root, top, '')
  connect(places, member(root, 'requires') === true)
  return { items: places.flatMap(({ content }) => content?.item ?? []), problems: problems.list() }
}

/**
 * The document does not say what the project asks for. But npm removes what nobody needs, so that an outermost
 * package that no other requires can only be asked for by the project, and a nested one only by what holds it. A
 * folder is the project itself: what it requires is direct.
 */
function connect(places: readonly TreeNode<Installed>[], saysWhatIsRequired: boolean) {
  const required = new Set<InventoryItem>()
  const direct = new Set<InventoryItem>()
  for (const place of places) {
    const { entry, item } = place.content!
    const found = new Set<InventoryItem>()
    for (const name of keys(member(entry, 'requires'))) {
      const target = resolvePackage(place, name)?.content?.item
      if (target && target !== item) found.add(target)
    }
    if (item) item.dependsOn = [...found].map(({ key }) => key)
    for (const target of found) (item ? required : direct).add(target)
  }
  for (const { content, around } of places) {
    const item = content?.item
    if (!item) continue
    if (direct.has(item)) item.transitivity = 'DIRECT'
    else if (around?.around) item.transitivity = 'TRANSITIVE'
    else if (saysWhatIsRequired && !required.has(item) && !member(content.entry, 'peer')) item.transitivity = 'DIRECT'
  }
}

function toItem(key: string, folderName: string, entry: JsonObject, line: number): InventoryItem {
  const written = text(entry, 'version')
  const alias = aliasTarget(written)
  const version = alias ? alias.rest : written
  const fromRegistry = version === '' || isRegistryVersion(version)
  return {
    key,
    ecosystem: 'npm',
    name: alias?.name ?? folderName,
    version: fromRegistry ? version : versionOfArchive(folderName, version),
    transitivity: 'UNKNOWN',
    development: member(entry, 'dev') === true,
    licence: '',
    resolved: withoutCredentials(fromRegistry ? text(entry, 'resolved') : version),
    dependsOn: [],
    line,
  }
}
