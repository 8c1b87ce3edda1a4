import { existsSync, statSync } from 'node:fs'
import { findBinaries } from './cluster/binaries.ts'
import { clusterVersion, readPidFile } from './cluster/cluster.ts'
import { chooseIdentity } from './cluster/identity.ts'
import { type DatabaseLocation, findLocation } from './cluster/location.ts'
import { lockHolder } from './cluster/lock.ts'
import { fromFileError } from './problem.ts'
import { findProcess } from './process/platform.ts'
import { roleOf } from './process/processes.ts'

export type EmbeddedState = {
  /** Of the programs npm installed; undefined if there are none for this platform. */
  installedVersion: string | undefined
  /** Undefined as long as no database has been made in this data folder; then the rest is too. */
  database:
    | {
        /** Major version of PostgreSQL that the data is of. */
        version: string | undefined
        /** Where the data really is: root's may be outside the data folder. */
        cluster: string
        /** Whom the files belong to and the server runs as. */
        uid: number | undefined
        user: string | undefined
        /** The Gatehouse that has the data folder in use. */
        gatehousePid: number | undefined
        server: { pid: number; socketFolder: string; ready: boolean } | undefined
      }
    | undefined
}

/** Looks at the embedded database of a data folder without touching it. */
export function inspectEmbedded(folder: string): EmbeddedState {
  try {
    const place = findLocation(folder)
    return { installedVersion: installedVersion(), database: place && describeDatabase(place) }
  } catch (error) {
    throw fromFileError(error)
  }
}

/** Whether a first start has made one, as opposed to nobody, or one that was killed before it had. */
export function hasDatabase(folder: string): boolean {
  const place = findLocation(folder)
  return place !== undefined && existsSync(place.cluster)
}

function describeDatabase(place: DatabaseLocation): EmbeddedState['database'] {
  return {
    version: clusterVersion(place),
    cluster: place.cluster,
    uid: statSync(place.cluster, { throwIfNoEntry: false })?.uid,
    user: chooseIdentity(place.cluster, place.dataFolder)?.name,
    gatehousePid: lockHolder(place.lockFile),
    server: runningServer(place),
  }
}

function runningServer(place: DatabaseLocation) {
  const said = readPidFile(place)
  const process = said && findProcess(said.pid)
  return process && roleOf(process, place.marker) === 'postmaster' ? said : undefined
}

function installedVersion(): string | undefined {
  try {
    return findBinaries().version
  } catch {
    return undefined
  }
}
