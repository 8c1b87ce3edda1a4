import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { formats, usesName, usesPath } from '../../../formats/registry.ts'
import { CommandProblem } from '../../command-problem.ts'
import { excludeFile, topOfCheckout } from '../subject/git-checkout.ts'
import { followRequirements, readsAsRequirements } from './follow-requirements.ts'
import { isIgnored, parseIgnoreFile, type RuleFile } from './ignore-rules.ts'

/** `path` is that in the repository, with / between its parts; `place` where it is on this machine. */
export type FoundFile = { path: string; place: string; bytes: number }

/** Rules for git, and our own, which outrank them. */
type Rules = { git: RuleFile[]; own: RuleFile[] }

const neverEntered = new Set(['.git', 'node_modules'])

const logName = /\.sarif(\.json)?$/i

export function isLogName(path: string): boolean {
  return logName.test(path)
}

/**
 * Every file under a folder whose name is that of a lockfile or a bill of materials, by path, and the requirements files
 * that those name, wherever in the checkout they are. Symbolic links are not followed. With `logs` also SARIF
 * logs: results of tools, which git is often told to leave out, so only our own rules count for them. Paths are those from the top of the git checkout where there is one, else from the folder.
 */
export async function findFiles(given: string, { logs = false } = {}): Promise<FoundFile[]> {
  const start = realFolder(given)
  const top = topOfCheckout(start) ?? start
  const found = new Map<string, FoundFile>()

  async function walk(folder: string, above: Rules): Promise<void> {
    // First, because a closed folder also keeps its rules to itself.
    const entries = await entriesOf(join(top, folder))
    const rules = withRulesOf(top, folder, above)
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (logs && entry.isFile() && isLogName(entry.name)) {
        if (!isIgnored(rules.own, path, false)) found.set(path, fileAt(top, path))
        continue
      }
      const isWanted = isFolder ? !neverEntered.has(entry.name) : entry.isFile() && isKnown(top, path)
      if (!isWanted || ignored(rules, path, isFolder)) continue
      if (isFolder) await walk(path, rules)
      else found.set(path, fileAt(top, path))
    }
  }

  const below = relative(top, start).split(sep).filter(Boolean)
  let rules = rulesOfCheckout(top)
  for (const [depth] of below.entries()) rules = withRulesOf(top, below.slice(0, depth).join('/'), rules)
  await walk(below.join('/'), rules)
  const placeOf = (path: string) => found.get(path)?.place ?? (isOpen(top, path) ? join(top, path) : undefined)
  for (const path of followRequirements([...found.keys()], placeOf)) {
    if (!found.has(path)) found.set(path, fileAt(top, path))
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The path of a folder in its checkout; empty where it is the top of it. */
export function partOfCheckout(given: string): string {
  const start = realFolder(given)
  return relative(topOfCheckout(start) ?? start, start)
    .split(sep)
    .join('/')
}

function fileAt(top: string, path: string): FoundFile {
  return { path, place: join(top, path), bytes: statSync(join(top, path)).size }
}

/** By its name alone, or by its folder and its content. */
function isKnown(top: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (formats.some((format) => usesName(format, name))) return true
  return formats.some((format) => usesPath(format, path)) && readsAsRequirements(join(top, path), path)
}

/** Whether it is a file that a walk from the top would come to: no link, and nothing on the way to it left out. */
function isOpen(top: string, path: string): boolean {
  const parts = path.split('/')
  let rules = rulesOfCheckout(top)
  for (const depth of parts.keys()) {
    const above = parts.slice(0, depth).join('/')
    const here = parts.slice(0, depth + 1).join('/')
    const isLast = depth === parts.length - 1
    const stat = lstatSync(join(top, here), { throwIfNoEntry: false })
    if (isLast ? !stat?.isFile() : !stat?.isDirectory() || neverEntered.has(parts[depth]!)) return false
    rules = withRulesOf(top, above, rules)
    if (ignored(rules, here, !isLast)) return false
  }
  return true
}

export function realFolder(given: string): string {
  try {
    const folder = realpathSync(given)
    if (statSync(folder).isDirectory()) return folder
  } catch {
    throw new CommandProblem(`There is no folder '${given}'.`)
  }
  throw new CommandProblem(`'${given}' is a file; upload it with: gatehouse upload ${given}`)
}

/** An inventory without a folder that cannot be read would say that nothing is there: rather none. */
async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandProblem(`The folder '${folder}' cannot be read (${code}); a .gatehouseignore can leave it out.`)
  }
}

function ignored(rules: Rules, path: string, isFolder: boolean): boolean {
  return isIgnored(rules.own, path, isFolder) ?? isIgnored(rules.git, path, isFolder) ?? false
}

function rulesOfCheckout(top: string): Rules {
  const file = excludeFile(top)
  return { git: file ? rulesIn(file, '') : [], own: [] }
}

function withRulesOf(top: string, folder: string, above: Rules): Rules {
  return {
    git: [...above.git, ...rulesIn(join(top, folder, '.gitignore'), folder)],
    own: [...above.own, ...rulesIn(join(top, folder, '.gatehouseignore'), folder)],
  }
}

/** Like git, not by a symbolic link: it could lead anywhere. */
function rulesIn(file: string, folder: string): RuleFile[] {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return []
  try {
    return [{ folder, rules: parseIgnoreFile(readFileSync(file, 'utf8')) }]
  } catch (error) {
    throw new CommandProblem(`'${file}' cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
