import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import type { RequirementsBeside } from '../format.ts'
import { logicalLines } from './logical-lines.ts'
import { readRequirement } from './requirement.ts'

/** What a requirements file has to do with others: the files it names, and what it pins and leaves open. */
export type Links = {
  includes: string[]
  constraints: string[]
  pins: ReadonlyMap<string, string>
  open: ReadonlySet<string>
}

const maxLinks = 1000
const maxNames = 20_000
/** Constraints may include others. */
const maxConstraints = 20

export function readLinks(text: string): Links {
  const links = { includes: [] as string[], constraints: [] as string[], pins: new Map(), open: new Set<string>() }
  for (const { text: line } of logicalLines(text)) {
    const found = readRequirement(line)
    if (found.kind === 'include' && links.includes.length < maxLinks) links.includes.push(found.file)
    else if (found.kind === 'constraint' && links.constraints.length < maxLinks) links.constraints.push(found.file)
    else if (found.kind === 'package' && links.pins.size + links.open.size < maxNames) {
      const name = pypi.normalizeName(found.name)
      if (found.version === '') links.open.add(name)
      else if (!links.pins.has(name)) links.pins.set(name, found.version)
    }
  }
  return links
}

/** The path that a file means by a name, from the root of the repository; undefined for addresses and what is outside. */
export function linkTarget(path: string, written: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:|^[/\\~]|[$\0]/.test(written)) return undefined
  const parts = path.split('/').slice(0, -1)
  for (const part of written.split(/[\\/]/)) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.length === 0 ? undefined : parts.join('/')
}

/** How each of the files stands among the others; files that have nothing to do with others are left out. */
export function standings(
  files: ReadonlyMap<string, Links>,
  exists: (path: string) => boolean,
): Map<string, RequirementsBeside> {
  const included = new Set<string>()
  const constraining = new Set<string>()
  for (const [path, { includes, constraints }] of files) {
    for (const written of includes) included.add(linkTarget(path, written) ?? '')
    for (const written of constraints) constraining.add(linkTarget(path, written) ?? '')
  }
  const found = new Map<string, RequirementsBeside>()
  for (const [path, links] of files) {
    const constrainsOnly = constraining.has(path) && !included.has(path)
    const present = links.includes.filter((written) => exists(linkTarget(path, written) ?? ''))
    const pins = pinsFor(path, links, files)
    const isNamed = constraining.has(path) || included.has(path)
    if (isNamed || present.length > 0 || pins.length > 0) found.set(path, { constrainsOnly, present, pins })
  }
  return found
}

/** For what the file leaves open, the version that the first of its constraints pins. */
function pinsFor(path: string, { open, constraints }: Links, files: ReadonlyMap<string, Links>): [string, string][] {
  const sources: Links[] = []
  const seen = new Set([path])
  const queue = constraints.map((written) => linkTarget(path, written))
  for (const target of queue) {
    const links = target === undefined || seen.has(target) ? undefined : files.get(target)
    if (!links || target === undefined) continue
    if (sources.push(links) >= maxConstraints) break
    seen.add(target)
    for (const written of [...links.constraints, ...links.includes]) queue.push(linkTarget(target, written))
  }
  return [...open].flatMap((name): [string, string][] => {
    const pinned = sources.find((links) => links.pins.has(name))
    return pinned ? [[name, pinned.pins.get(name)!]] : []
  })
}
