import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fromServerOutput, PostgresProblem } from '../problem.ts'
import { runGuarded } from '../process/guard.ts'
import type { Binaries } from './binaries.ts'
import { syncFolder, UNFINISHED, unfinished } from './durable.ts'
import type { Identity } from './identity.ts'
import type { DatabaseLocation } from './location.ts'
import { SUPERUSER } from './password.ts'

/** Removes what a kill left half-made. Only to be called with the lock held and nothing of ours running. */
export function clearUnfinished(place: DatabaseLocation): void {
  for (const folder of new Set([place.home, join(place.dataFolder, 'postgres')])) {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(UNFINISHED)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

export function clusterVersion(place: DatabaseLocation): string | undefined {
  const file = join(place.cluster, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

export function checkVersion(place: DatabaseLocation, binaries: Binaries): void {
  const found = clusterVersion(place)
  const brought = binaries.version.split('.')[0]
  if (found === brought) return
  throw new PostgresProblem(
    `The database in '${place.cluster}' is of PostgreSQL ${found ?? '(unknown)'}, but this Gatehouse brings PostgreSQL ` +
      `${brought}. Start the Gatehouse that made it, dump its data, and load it into a new data folder.`,
  )
}

/** Makes the database beside its place and moves it there when it is whole and on disk. */
export async function makeCluster(
  place: DatabaseLocation,
  binaries: Binaries,
  identity: Identity,
  password: string,
): Promise<void> {
  const draft = unfinished(place.home)
  const cluster = join(draft, 'cluster')
  const passwordFile = join(draft, 'password')
  mkdirSync(draft, { mode: 0o711 })
  mkdirSync(cluster, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (identity) for (const path of [draft, cluster, passwordFile]) chownSync(path, identity.uid, identity.gid)
  const lines: string[] = []
  const args = [
    ...['-D', cluster, '-c', `cluster_name=${place.marker}`, '--username', SUPERUSER, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--data-checksums', '--encoding', 'UTF8'],
    // Text sorts by code point, the same on every machine and after every system update (an order that changes
    // corrupts indexes), while upper, lower and ILIKE still know all letters.
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    '--no-instructions',
  ]
  const initdb = runGuarded(binaries.initdb, args, { identity, onLine: (line) => lines.push(line) })
  const status = await initdb.exited
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    throw fromServerOutput(`PostgreSQL could not make its database in '${place.home}'`, lines.join('\n'))
  }
  renameSync(cluster, place.cluster)
  syncFolder(place.home)
  rmSync(draft, { recursive: true })
}

/**
 * PostgreSQL takes any process that goes by the number in this file for its predecessor, also where the number has been
 * given to somebody else since. Only to be called when nothing of ours runs; that no other server works on these files
 * PostgreSQL still checks by its shared memory.
 */
export function clearPidFile(place: DatabaseLocation): void {
  rmSync(join(place.cluster, 'postmaster.pid'), { force: true })
}

/** What a running server says about itself. */
export function readPidFile(
  place: DatabaseLocation,
): { pid: number; socketFolder: string; ready: boolean } | undefined {
  try {
    const lines = readFileSync(join(place.cluster, 'postmaster.pid'), 'utf8').split('\n')
    if (!isSameFolder(lines[1] ?? '', place.cluster)) return undefined
    return { pid: Number(lines[0]), socketFolder: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** In a copy that was made while the server ran, the file is about the server of the original, which may be closed to us. */
function isSameFolder(told: string, cluster: string): boolean {
  const statOf = (folder: string) => {
    try {
      return statSync(folder)
    } catch {
      return undefined
    }
  }
  const [one, other] = [statOf(told), statOf(cluster)]
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}
