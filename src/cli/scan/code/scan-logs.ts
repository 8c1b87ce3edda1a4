import { realpathSync, statSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'
import { CommandProblem } from '../../command-problem.ts'
import type { FoundFile } from '../files/find-files.ts'
import { git, topOfCheckout } from '../subject/git-checkout.ts'
import type { OutgoingFile } from '../upload-body.ts'

/**
 * Of the logs that were found, those that a tool has just written. One that git keeps is a sample or a result of long ago,
 * and is sent only where somebody points at it. In a checkout of which git says nothing each of them may be one: what it
 * does not have would look fixed.
 */
export async function freshLogs(
  logs: readonly FoundFile[],
  folder: string,
  warn: (text: string) => void,
): Promise<FoundFile[]> {
  if (logs.length === 0 || topOfCheckout(realpathSync(folder)) === undefined) return [...logs]
  const paths = logs.map(({ path }) => `:(top,literal)${path}`)
  const { output = '', failure } = await git(folder, 'ls-files', '-z', '--full-name', '--', ...paths)
  if (failure !== undefined) {
    warn(notSent(logs, failure))
    return []
  }
  const kept = new Set(output.split('\0'))
  return logs.filter(({ path }) => !kept.has(path))
}

function notSent(logs: readonly FoundFile[], why: string): string {
  const names = logs.slice(0, 3).map(({ path }) => path)
  const shown = logs.length > 3 ? `${names.join(', ')} and ${logs.length - 3} more` : names.join(', ')
  return `${shown}: not sent, because nobody can say which logs a tool has just written (${why}). Name them with --sarif, or let git read this checkout`
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
