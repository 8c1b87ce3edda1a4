import { chownSync, existsSync, lchownSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { prepareBinaries } from '../cluster/binaries.ts'
import { checkVersion, clearUnfinished, readPidFile } from '../cluster/cluster.ts'
import { syncFolder, unfinished } from '../cluster/durable.ts'
import type { Identity } from '../cluster/identity.ts'
import { chooseLocation, type DatabaseLocation } from '../cluster/location.ts'
import { lockPlace } from '../cluster/lock.ts'
import { asArguments, serverSettings } from '../cluster/settings.ts'
import { chooseSocketFolder, clearSocketFolder, makeSocketFolder } from '../cluster/socket-folder.ts'
import { fromFileError, PostgresProblem } from '../problem.ts'
import { runGuarded } from '../process/guard.ts'
import { stopLeftovers } from '../process/processes.ts'
import { readServerLine } from '../process/server-log.ts'
import { restoreCommand } from './wal-archive.ts'

export type Recovery = {
  /** The data folder, which has no database yet. */
  folder: string
  /** Where segments are. */
  archive: string
  /** PostgreSQL's word for a moment; undefined: as far as the archive goes. */
  until: string | undefined
  /** Puts the files of a base backup into a folder. */
  unpack(cluster: string): Promise<void>
}

/** PostgreSQL gave up, and what it said. */
export class RecoveryFailed extends Error {
  override name = 'RecoveryFailed'
  readonly said: readonly string[]

  constructor(said: readonly string[]) {
    super(said.at(-1) ?? 'PostgreSQL ended')
    this.said = said
  }
}

/**
 * Makes the database of a data folder from a base backup and the WAL that follows it. It is made beside its place and moved there
 * when it is whole: a recovery that fails leaves none. Answers what PostgreSQL said on the way.
 */
export async function recoverEmbedded(recovery: Recovery): Promise<readonly string[]> {
  const { place, identity } = await chooseLocation(recovery.folder).catch((error) => {
    throw fromFileError(error)
  })
  const lock = await lockPlace(place)
  try {
    if (existsSync(place.cluster)) {
      throw new PostgresProblem(
        `The data folder '${place.dataFolder}' has a database already. Set GATEHOUSE_DATA to a new folder. Nothing was changed.`,
      )
    }
    clearUnfinished(place)
    return await recoverInto(place, identity, recovery)
  } catch (error) {
    throw fromFileError(error)
  } finally {
    await stopLeftovers(place.marker, () => {})
    lock.release()
  }
}

async function recoverInto(place: DatabaseLocation, identity: Identity, recovery: Recovery) {
  const binaries = await prepareBinaries(place, identity)
  const draft = unfinished(place.home)
  const drafted = { ...place, cluster: join(draft, 'cluster') }
  try {
    mkdirSync(draft, { mode: 0o711 })
    mkdirSync(drafted.cluster, { mode: 0o700 })
    await recovery.unpack(drafted.cluster)
    checkVersion(drafted, binaries)
    writeFileSync(join(drafted.cluster, 'recovery.signal'), '', { mode: 0o600 })
    if (identity) giveAll(draft, identity)
    const said = await replay(drafted, binaries.postgres, identity, recovery)
    renameSync(drafted.cluster, place.cluster)
    syncFolder(place.home)
    return said
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Runs the server until it has recovered and takes writes, then stops it in order. */
async function replay(
  place: DatabaseLocation,
  postgres: string,
  identity: Identity,
  { archive, until }: Recovery,
): Promise<readonly string[]> {
  const socketFolder = chooseSocketFolder(place, identity)
  makeSocketFolder(socketFolder, identity)
  clearSocketFolder(socketFolder)
  const settings = {
    ...serverSettings(place.marker, socketFolder),
    hot_standby: 'off',
    archive_mode: 'off',
    restore_command: restoreCommand(archive),
    ...(until && { recovery_target_time: until }),
    recovery_target_action: 'promote',
  }
  const said: string[] = []
  const server = runGuarded(postgres, ['-D', place.cluster, ...asArguments(settings)], {
    identity,
    onLine: (line) => {
      const read = readServerLine(line)
      if (read) said.push(read.message)
    },
  })
  let status: number | undefined
  const ended = server.exited.then((code) => {
    status = code
  })
  while (status === undefined && !isReady(place, server.pid())) await Promise.race([delay(20), ended])
  server.stop()
  await ended
  if (status !== 0 || !said.some((line) => line.startsWith('archive recovery complete'))) throw new RecoveryFailed(said)
  return said
}

function isReady(place: DatabaseLocation, pid: number | undefined): boolean {
  const told = readPidFile(place)
  return told?.ready === true && told.pid === pid
}

function giveAll(folder: string, { uid, gid }: NonNullable<Identity>): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid)
}
