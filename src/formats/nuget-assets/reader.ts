import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, type Inventory, unreadable, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { elements, entries, isObject, jsonPointer, keys, member, outline, text } from '../json/safe-json.ts'
import { entryProblem, quote } from '../problem.ts'
import { reachable } from '../reachable.ts'
import { headText } from '../text/bytes.ts'

/**
 * project.assets.json, which a restore of NuGet leaves in the folder `obj`: a graph for each framework, and for each runtime
 * of it (`net8.0/linux-x64`). Projects of the solution are left out, and what they need is direct only if this one asks for
 * it too.
 */
export const nugetAssets: Format = {
  id: 'nuget-assets',
  title: 'NuGet project.assets.json',
  fileNames: [/^project\.assets\.json$/i],

  recognises(head) {
    const top = outline(headText(head), 1)
    return top.has('/version') && top.has('/targets') && (top.has('/libraries') || top.size === 2)
  },

  read(chunks): Reading {
    const document = readJson(chunks, { locate: (path) => path.length === 2 && path[0] === 'libraries' })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    const targets = member(root, 'targets')
    const version = member(root, 'version')
    if (!isObject(targets) || typeof version !== 'number' || version < 2)
      return wrongFormat('The JSON has no targets with a version of 2 or more, so it is not a project.assets.json.')
    const inventory = createInventory('nuget')
    const lineOf = (library: string) => lines.get(jsonPointer(['libraries', library])) ?? 0
    for (const [target, libraries] of entries(targets)) {
      readTarget(inventory, libraries, askedFor(root, target.split('/', 1)[0]!), lineOf)
    }
    return inventory.done()
  },
}

type Asked = { all: Set<string>; development: Set<string> }

/** What the project itself asks for, in lower case. */
function askedFor(root: unknown, framework: string): Asked {
  const asked: Asked = { all: new Set(), development: new Set() }
  for (const one of elements(member(member(root, 'projectFileDependencyGroups'), framework))) {
    if (typeof one === 'string') asked.all.add(one.trim().split(/\s/, 1)[0]!.toLowerCase())
  }
  const frameworks = entries(member(member(root, 'project'), 'frameworks'))
  for (const [name, described] of frameworks) {
    if (name !== framework && text(described, 'targetAlias') !== framework && frameworks.length > 1) continue
    for (const [dependency, how] of entries(member(described, 'dependencies'))) {
      asked.all.add(dependency.toLowerCase())
      if (isForDevelopment(how)) asked.development.add(dependency.toLowerCase())
    }
  }
  return asked
}

/** How NuGet installs what its author calls a development dependency: private, and nothing of it is compiled against. */
function isForDevelopment(how: unknown): boolean {
  const included = text(how, 'include').toLowerCase()
  return text(how, 'suppressParent').toLowerCase() === 'all' && included !== '' && !/\b(?:compile|all)\b/.test(included)
}

function readTarget(inventory: Inventory, libraries: unknown, asked: Asked, lineOf: (library: string) => number): void {
  type Node = { name: string; item: InventoryItem | undefined; needs: string[] }
  const nodes = new Map<string, Node>()
  for (const [library, entry] of entries(libraries)) {
    const slash = library.lastIndexOf('/')
    const name = library.slice(0, Math.max(0, slash))
    if (name === '') {
      inventory.problem(
        entryProblem('bad-entry', `The entry ${quote(library)} names no package and version.`, lineOf(library)),
      )
      continue
    }
    nodes.set(name.toLowerCase(), { name, item: undefined, needs: keys(member(entry, 'dependencies')) })
  }
  const next = (node: Node) => node.needs.flatMap((name) => nodes.get(name.toLowerCase()) ?? [])
  const from = (wanted: (name: string) => boolean) =>
    reachable(
      [...nodes].flatMap(([name, node]) => (wanted(name) ? [node] : [])),
      next,
    )
  const needed = from((name) => asked.all.has(name) && !asked.development.has(name))
  const developed = from((name) => asked.development.has(name))
  for (const [library, entry] of entries(libraries)) {
    const slash = library.lastIndexOf('/')
    const node = nodes.get(library.slice(0, Math.max(0, slash)).toLowerCase())
    if (!node || text(entry, 'type').toLowerCase() === 'project') continue
    node.item = inventory.add({
      name: node.name,
      version: library.slice(slash + 1),
      transitivity: asked.all.has(node.name.toLowerCase()) ? 'DIRECT' : 'TRANSITIVE',
      development: developed.has(node) && !needed.has(node),
      line: lineOf(library),
    })
  }
  for (const node of nodes.values()) {
    for (const target of next(node)) if (node.item && target.item) inventory.connect(node.item, target.item)
  }
}
