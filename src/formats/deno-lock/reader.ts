import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { readJson } from '../json/json-document.ts'
import { asText, elements, entries, isObject, jsonPointer, keys, member, outline, text } from '../json/safe-json.ts'
import { aliasTarget, splitNameAt } from '../npm-specifier.ts'
import { entryProblem, quote } from '../problem.ts'
import { headText } from '../text/bytes.ts'

const kinds = ['npm', 'jsr'] as const
type Kind = (typeof kinds)[number]

/** `needs` are references to other packages: `npm:chalk@5.6.2`, or `npm:chalk` where there is one version of it. */
type Locked = { item: InventoryItem; needs: string[] }

/**
 * deno.lock of Deno 1.37 and later: packages of npm and JSR. Nobody keeps advisories about those of JSR, which are listed all the
 * same. Files that are imported by their address are no packages. It does not say what is needed for development alone.
 */
export const denoLock: Format = {
  id: 'deno-lock',
  title: 'deno.lock',
  fileNames: [/^deno\.lock$/],

  recognises(head) {
    const members = outline(headText(head), 1)
    const has = (name: string) => members.has(`/${name}`)
    return has('version') && (has('specifiers') || has('remote') || has('workspace') || has('packages')) && !has('name')
  },

  read(chunks): Reading {
    const document = readJson(chunks, {
      locate: (path) => path.length <= 3 && kinds.some((kind) => path.at(-2) === kind),
    })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    const version = text(root, 'version')
    if (/^[3-9]$/.test(version)) return toReading(root, version === '3' ? ['packages'] : [], lines)
    return wrongFormat('The JSON has no version from 3 on, so it is not a deno.lock of Deno 1.37 or later.')
  },
}

function toReading(root: unknown, path: string[], lines: ReadonlyMap<string, number>): Reading {
  const holder = path.reduce(member, root)
  const inventories = { npm: createInventory('npm'), jsr: createInventory('generic') }
  const packages = new Map<string, Locked>()
  const byName = new Map<string, Locked[]>()
  for (const kind of kinds) {
    for (const [identity, entry] of entries(member(holder, kind))) {
      const { name, rest } = splitNameAt(identity)
      const line = lines.get(jsonPointer([...path, kind, identity])) ?? 0
      if (rest === '') {
        inventories[kind].problem(entryProblem('bad-entry', `The entry ${quote(identity)} has no version.`, line))
        continue
      }
      const item = inventories[kind].add({
        name: kind === 'jsr' ? `jsr:${name}` : name,
        // Behind it are the versions of its peers, which may differ while the package does not.
        version: rest.split('_', 1)[0]!,
        transitivity: 'TRANSITIVE',
        resolved: text(entry, 'tarball'),
        line,
      })
      if (!item) continue
      const locked = { item, needs: needsOf(kind, entry) }
      packages.set(`${kind}:${identity}`, locked)
      const named = byName.get(`${kind}:${name}`)
      if (named) named.push(locked)
      else byName.set(`${kind}:${name}`, [locked])
    }
  }

  const specifiers = member(holder, 'specifiers')
  function find(reference: string): InventoryItem | undefined {
    const kind = kindOf(reference)
    const { name, rest } = splitNameAt(reference.slice(kind.length + 1))
    const locked = text(specifiers, reference)
    const identity = locked.includes(':') ? locked : `${kind}:${name}@${locked || rest}`
    return (packages.get(identity) ?? byName.get(`${kind}:${name}`)?.[0])?.item
  }

  const neededByJsr = new Set<string>()
  for (const [identity, { item, needs }] of packages) {
    for (const need of needs) {
      const found = find(need)
      if (found) inventories[kindOf(identity)].connect(item, found)
      if (kindOf(identity) === 'jsr') neededByJsr.add(need)
    }
  }
  // Code asks for packages in its imports, too. Of what packages of JSR need the version may be left out.
  const withoutVersion = (specifier: string) => specifier.slice(0, specifier.indexOf('@', kindOf(specifier).length + 2))
  const imported = keys(specifiers).filter(
    (specifier) => !neededByJsr.has(specifier) && !neededByJsr.has(withoutVersion(specifier)),
  )
  for (const specifier of [...imported, ...askedFor(member(root, 'workspace'))]) {
    const found = find(specifier)
    if (found) found.transitivity = 'DIRECT'
  }
  const readings = kinds.map((kind) => inventories[kind].done())
  return { items: readings.flatMap(({ items }) => items), problems: readings.flatMap(({ problems }) => problems) }
}

function kindOf(identity: string): Kind {
  return identity.startsWith('jsr:') ? 'jsr' : 'npm'
}

/** Up to version 3 those of npm are an object of names and identities, then a list. An alias is written as npm does. */
function needsOf(kind: Kind, entry: unknown): string[] {
  const needed = member(entry, 'dependencies')
  const optional = member(entry, 'optionalDependencies')
  const written = [needed, optional].flatMap((each) =>
    isObject(each) ? entries(each).map(([, to]) => to) : elements(each),
  )
  const needs = written.map(asText).filter((each) => each !== '')
  if (kind === 'jsr') return needs
  return needs.map((need) => {
    const alias = aliasTarget(splitNameAt(need).rest)
    return `npm:${alias ? `${alias.name}@${alias.rest}` : need}`
  })
}

/** What deno.json and package.json of the project and its members ask for. */
function askedFor(workspace: unknown): string[] {
  const members = entries(member(workspace, 'members')).map(([, each]) => each)
  return [workspace, ...members]
    .flatMap((each) => [each, member(each, 'packageJson')])
    .flatMap((each) => elements(member(each, 'dependencies')).map(asText))
}
