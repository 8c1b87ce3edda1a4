import { existsSync } from 'node:fs'
import { archiveOf, archiveSettings, prepareArchive } from './archive/wal-archive.ts'
import { type Binaries, prepareBinaries } from './cluster/binaries.ts'
import { checkVersion, clearUnfinished, makeCluster } from './cluster/cluster.ts'
import type { Identity } from './cluster/identity.ts'
import { chooseLocation, type DatabaseLocation } from './cluster/location.ts'
import { lockPlace } from './cluster/lock.ts'
import { keepPassword, newPassword, readPassword, setPassword } from './cluster/password.ts'
import { chooseSocketFolder, makeSocketFolder } from './cluster/socket-folder.ts'
import { fromFileError, PostgresProblem } from './problem.ts'
import { stopLeftovers } from './process/processes.ts'
import { ownerConnection, serviceConnection } from './process/running.ts'
import { type Connection, createServer } from './process/server.ts'
import type { Log } from './process/server-log.ts'
import { supervise } from './process/supervise.ts'

export type EmbeddedPostgres = {
  /** As the superuser: for the schema, and for no request. Read from its file each time, so that nobody has it by heart. */
  readonly connection: Connection
  /** As roles that own nothing, each with a login. They get in once `admitService` has let them. */
  service: ReturnType<typeof serviceConnection>
  /** Where its files are. */
  cluster: string
  /** Where its own WAL is archived. */
  archive: string | undefined
  /** Fast shutdown; resolves when the server has gone and the data folder is free. */
  stop(): Promise<void>
}

/**
 * Gatehouse's own PostgreSQL: made on the first start, recovered after a crash, restarted when it dies, stopped with us.
 * Throws `PostgresProblem` where a person has to do something about it.
 */
export async function startEmbedded(options: {
  folder: string
  log: Log
  /** Where WAL is archived; undefined: nowhere. */
  archiveFolder?: string | undefined
  settings?: Record<string, string>
}): Promise<EmbeddedPostgres> {
  const { place, identity } = await chooseLocation(options.folder).catch(rethrow)
  const lock = await lockPlace(place).catch(rethrow)
  try {
    // From here on we are alone: whatever still runs or lies about half-made is of an earlier start.
    if (!(await stopLeftovers(place.marker, options.log))) throw undying(place)
    clearUnfinished(place)
    const binaries = await prepareBinaries(place, identity)
    await prepareCluster(place, binaries, identity)
    const socketFolder = chooseSocketFolder(place, identity)
    makeSocketFolder(socketFolder, identity)

    const archive = options.archiveFolder === undefined ? undefined : archiveOf(options.archiveFolder, place.id)
    if (archive !== undefined) await prepareArchive(archive, identity)

    const owner = () => ownerConnection(socketFolder, readPassword(place) ?? '')
    const server = createServer({
      place,
      binaries,
      identity,
      socketFolder,
      owner,
      log: options.log,
      settings: { ...(archive !== undefined && archiveSettings(archive)), ...options.settings },
    })
    const supervisor = await supervise(server, options.log)
    let stopped: Promise<void> | undefined
    return {
      get connection() {
        return owner()
      },
      service: serviceConnection(owner()),
      cluster: place.cluster,
      archive,
      stop() {
        stopped ??= supervisor.stop().finally(lock.release)
        return stopped
      },
    }
  } catch (error) {
    await stopLeftovers(place.marker, () => {})
    lock.release()
    throw fromFileError(error)
  }
}

function rethrow(error: unknown): never {
  throw fromFileError(error)
}

/** The database exists from here on, and the superuser's password is in its file. */
async function prepareCluster(place: DatabaseLocation, binaries: Binaries, identity: Identity): Promise<void> {
  if (!existsSync(place.cluster)) {
    return makeCluster(place, binaries, identity, keepPassword(place, newPassword()))
  }
  checkVersion(place, binaries)
  if (readPassword(place)) return
  // Lost: whoever may read the database's files may set it again. Written down only when it holds.
  const password = newPassword()
  await setPassword(place, binaries, identity, password)
  keepPassword(place, password)
}

function undying(place: DatabaseLocation): PostgresProblem {
  return new PostgresProblem(
    `Processes of an earlier run still use the database in '${place.cluster}' and cannot be stopped. ` +
      `Look for '${place.marker}' in the process list, end them, and start again.`,
  )
}
