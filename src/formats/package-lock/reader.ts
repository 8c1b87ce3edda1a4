import type { Format, Reading } from '../format.ts'
import { entries, isObject, member, outline, parseJson, text } from '../json/safe-json.ts'
import { fatalProblem } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { readNested } from './nested.ts'
import { readPackages } from './packages.ts'

/** Two levels of JSON for each level of nested packages in version 1. */
const maxDepth = 200

/** package-lock.json and npm-shrinkwrap.json of npm 5 to 11 (lockfileVersion 1 to 3), and shrinkwraps before them. */
export const packageLock: Format = {
  id: 'package-lock',
  title: 'npm package-lock.json and npm-shrinkwrap.json',
  fileNames: [/^package-lock\.json$/, /^npm-shrinkwrap\.json$/],

  recognises(head) {
    const members = outline(headText(head), 3)
    if (members.has('/workspaces')) return false // bun.lock has a lockfileVersion too
    if (members.has('/lockfileVersion')) return true
    return hasResolvedDependencies(members)
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return { items: [], problems: [source.problem] }
    const parsed = parseJson(source.value, {
      maxDepth,
      locate: (path) =>
        path.length % 2 === 0 && (path[0] === 'packages' ? path.length === 2 : path[0] === 'dependencies'),
      enters: (path) => path.length < 2 || path[0] === 'dependencies',
    })
    if (parsed.problem) return { items: [], problems: [parsed.problem] }
    const { value: root, lines } = parsed.value
    if (isObject(member(root, 'packages'))) return readPackages(member(root, 'packages'), lines)
    if (isNested(root)) return readNested(root, lines)
    if (isObject(root) && entries(root).length === 0) return { items: [], problems: [] }
    const detail = 'The JSON has neither packages nor dependencies with versions, so it is not a package-lock.json.'
    return { items: [], problems: [fatalProblem('wrong-format', detail)] }
  },
}

/** A package.json has dependencies too, and so has a packages.lock.json of .NET: but neither has versions in them. */
function isNested(root: unknown): boolean {
  if (member(root, 'lockfileVersion') !== undefined) return true
  return entries(member(root, 'dependencies')).some(([, entry]) => text(entry, 'version') !== '')
}

/** Before lockfileVersion existed: dependencies that are objects with a version, where a package.json has ranges. */
function hasResolvedDependencies(members: ReadonlySet<string>): boolean {
  for (const pointer of members) {
    const [, top, name, field] = pointer.split('/')
    if (top === 'dependencies' && field === 'version') {
      const entry = `/dependencies/${name}/`
      if (members.has(`${entry}resolved`) || members.has(`${entry}integrity`) || members.has(`${entry}from`))
        return true
    }
  }
  return false
}
