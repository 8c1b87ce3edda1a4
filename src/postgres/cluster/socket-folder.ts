import { chownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresProblem } from '../problem.ts'
import { SOCKET_PATH_LIMIT } from '../process/platform.ts'
import type { Identity } from './identity.ts'
import type { DatabaseLocation } from './location.ts'

export const PORT = 5432

/** The folder of the server's socket: beside the database, unless the path gets too long for a socket. */
export function chooseSocketFolder(
  place: Pick<DatabaseLocation, 'home' | 'marker'>,
  identity: Identity,
  env = process.env,
): string {
  // Root's own temporary folder may be closed to PostgreSQL's user; /tmp is open to all.
  const short = identity ? ['/tmp'] : [env.XDG_RUNTIME_DIR, tmpdir(), '/tmp']
  const candidates = [
    join(place.home, 'run'),
    ...short.filter((folder) => folder).map((folder) => join(folder!, place.marker)),
  ]
  return candidates.find((folder) => fits(folder)) ?? candidates.at(-1)!
}

export function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_LIMIT
}

/** Makes it, closed to everybody else; refuses one that somebody else has put there. */
export function makeSocketFolder(folder: string, identity: Identity): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
    if (identity) chownSync(folder, identity.uid, identity.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = lstatSync(folder)
  const us = process.getuid!()
  const ours = found.uid === us || found.uid === identity?.uid
  if (!found.isDirectory() || !ours || (found.mode & 0o077) !== 0) {
    throw new PostgresProblem(`'${folder}' is not a folder that only Gatehouse can enter. Remove it and start again.`)
  }
  if (identity && found.uid !== identity.uid) chownSync(folder, identity.uid, identity.gid)
}

/** Only to be called when no server of ours runs: what is in there then is left over. */
export function clearSocketFolder(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith('.s.PGSQL.')) rmSync(join(folder, name))
}
