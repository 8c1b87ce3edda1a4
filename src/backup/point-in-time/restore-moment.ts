import { once } from 'node:events'
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join, normalize, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { RecoveryFailed, recoverEmbedded } from '../../postgres/archive/recover.ts'
import { readBackupFile } from '../backup-file.ts'
import { BackupProblem } from '../backup-problem.ts'
import { damaged } from '../frames.ts'
import { type Base, findArchives, firstGap, listBases, listSegments, nameOf, nextSegment } from './archive-contents.ts'

/** When the last transaction was that it has; undefined where nothing was committed since the base. */
export type RestoredMoment = { base: string; lastTransactionAt: string | undefined }

export const latest = 'latest'
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

/**
 * Makes the database of an empty data folder as it was at a moment: from the newest base before it, and the WAL since. The base is
 * read to its end first; where a segment is missing or damaged no database is left behind.
 */
export async function restoreMoment(folder: string, dataFolder: string, to: string): Promise<RestoredMoment> {
  const until = readMoment(to)
  // PostgreSQL works in a folder of its own, and would look for the archive there.
  const archive = await theArchive(resolve(folder))
  const base = await chooseBase(archive, until)
  const segments = await listSegments(archive)
  const gap = firstGap(segments, base.startSegment)
  // Without a moment to reach, PostgreSQL would take a gap for the end.
  if (gap && !until) throw missing(gap)
  for await (const _ of readBase(base));
  try {
    const recovery = {
      folder: dataFolder,
      archive,
      until: until && forPostgres(to),
      unpack: (into: string) => unpack(base, into),
    }
    const said = await recoverEmbedded(recovery)
    return { base: base.file, lastTransactionAt: lastTransaction(said) }
  } catch (error) {
    throw error instanceof RecoveryFailed ? explained(error, to, gap) : error
  }
}

function readMoment(to: string): Date | undefined {
  if (to === latest) return undefined
  const at = new Date(to)
  if (moment.test(to) && !Number.isNaN(at.getTime())) return at
  throw new BackupProblem(`'${to}' is not a moment: write it like 2026-11-16T12:00:00Z, or ${latest}.`)
}

/** Settings are read before PostgreSQL knows the names of time zones, Z among them. */
function forPostgres(to: string): string {
  return to.replace('T', ' ').replace('Z', '+00')
}

async function theArchive(folder: string): Promise<string> {
  const archives = await findArchives(folder)
  if (archives.length === 1) return archives[0]!
  if (archives.length === 0) throw new BackupProblem(`There is no archive of WAL in '${folder}'.`)
  const known = await Promise.all(
    archives.map(async (archive) => {
      const newest = (await listBases(archive)).at(-1)
      return `${nameOf(archive)} (last base ${newest?.endedAt.toISOString() ?? 'never'})`
    }),
  )
  throw new BackupProblem(`'${folder}' has the archives of several databases: name one of them. ${known.join(', ')}`)
}

async function chooseBase(archive: string, until: Date | undefined): Promise<Base> {
  const bases = await listBases(archive)
  const base = bases.findLast(({ endedAt }) => !until || endedAt <= until)
  if (base) return base
  const [first] = bases
  throw new BackupProblem(
    first
      ? `The archive begins at ${first.endedAt.toISOString()}: nothing before that can be restored.`
      : `The archive '${archive}' has no base, so nothing can be restored from it.`,
  )
}

async function* readBase({ file }: Base) {
  try {
    yield* readBackupFile(file, undefined)
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    throw new BackupProblem(`The base '${file}' cannot be used. ${error.message}`, { cause: error })
  }
}

async function unpack(base: Base, cluster: string): Promise<void> {
  let into: WriteStream | undefined
  const end = async () => {
    into?.end()
    if (into) await finished(into)
    into = undefined
  }
  for await (const frame of readBase(base)) {
    if (frame.type === 'rows') {
      if (!into) throw damaged()
      if (!into.write(frame.bytes)) await once(into, 'drain')
    }
    if (frame.type !== 'file') continue
    await end()
    const { path } = frame
    if (normalize(path) !== path || path.startsWith('..') || path.startsWith('/')) throw damaged()
    if (path.endsWith('/')) mkdirSync(join(cluster, path), { mode: 0o700 })
    else into = createWriteStream(join(cluster, path), { mode: 0o600 })
  }
  await end()
}

function lastTransaction(said: readonly string[]): string | undefined {
  return matchIn(said, /^last completed transaction was at log time (.+)$/)
}

function matchIn(said: readonly string[], pattern: RegExp): string | undefined {
  return said.map((line) => pattern.exec(line)?.[1]).findLast((match) => match !== undefined)
}

/** PostgreSQL's last words, in words about the archive. */
function explained(error: RecoveryFailed, to: string, gap: string | undefined): BackupProblem {
  const { said } = error
  const unreadable = matchIn(said, /could not restore file "([0-9A-F]{24})" from archive/)
  if (unreadable)
    return new BackupProblem(
      `Segment ${unreadable} of the archive is damaged, and ${to} cannot be reached without it.`,
      {
        cause: error,
      },
    )
  const last = matchIn(said, /^restored log file "([0-9A-F]{24})" from archive/)
  if (gap && (!last || nextSegment(last) >= gap)) return missing(gap, error)
  if (said.some((line) => line.includes('recovery ended before configured recovery target was reached'))) {
    const end = lastTransaction(said)
    return new BackupProblem(
      `The archive ends before ${to}${end ? `: its last transaction was at ${end}` : ''}. To restore all that it has, use --to ${latest}.`,
      { cause: error },
    )
  }
  return new BackupProblem(`PostgreSQL could not recover. It said: ${reasonIn(said)}`, { cause: error })
}

/** What it says before it tells how it stops. */
function reasonIn(said: readonly string[]): string {
  const stops = said.findIndex((line) => line.startsWith('startup process (PID '))
  return said
    .slice(0, stops < 0 ? undefined : stops)
    .slice(-3)
    .join(' ')
}

function missing(segment: string, cause?: unknown): BackupProblem {
  return new BackupProblem(`Segment ${segment} is missing in the archive: nothing after it can be restored.`, { cause })
}
