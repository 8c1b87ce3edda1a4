import { realpathSync, statSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'
import { CommandProblem } from '../../command-problem.ts'
import type { FoundFile } from '../files/find-files.ts'
import { git, topOfCheckout } from '../subject/git-checkout.ts'
import type { OutgoingFile } from '../upload-body.ts'

/**
 * Of the logs that were found, those that a tool has just written. One that git keeps is a sample or a result of long ago,
 * and is sent only where somebody points at it.
 */
export async function freshLogs(logs: readonly FoundFile[], folder: string): Promise<FoundFile[]> {
  if (logs.length === 0) return []
  const paths = logs.map(({ path }) => `:(top,literal)${path}`)
  const { output = '' } = await git(folder, 'ls-files', '-z', '--full-name', '--', ...paths)
  const kept = new Set(output.split('\0'))
  return logs.filter(({ path }) => !kept.has(path))
}

/** Logs that somebody points at, wherever they are. One that is not in the checkout goes by its name alone. */
export function namedLogs(names: readonly string[], folder: string, found: readonly FoundFile[]): OutgoingFile[] {
  const start = realpathSync(folder)
  const top = topOfCheckout(start) ?? start
  const places = new Set<string>()
  const taken = new Set(found.map(({ path }) => path))
  const logs: OutgoingFile[] = []
  for (const name of names) {
    const stat = statSync(name, { throwIfNoEntry: false })
    if (!stat?.isFile()) throw new CommandProblem(`There is no file '${name}'.`)
    const place = realpathSync(resolve(name))
    if (places.has(place)) continue
    places.add(place)
    const below = relative(top, place).split(sep).join('/')
    const isInside = !below.startsWith('../') && resolve(below) !== below
    const path = isInside ? below : freeName(basename(place), taken)
    taken.add(path)
    logs.push({ path, place, bytes: stat.size })
  }
  return logs
}

/** Two tools may write files of the same name in two folders. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${count}$1`)
    if (!taken.has(free)) return free
  }
}
