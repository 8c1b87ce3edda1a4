import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Binaries } from '../cluster/binaries.ts'
import { clearPidFile, readPidFile } from '../cluster/cluster.ts'
import type { Identity } from '../cluster/identity.ts'
import type { DatabaseLocation } from '../cluster/location.ts'
import { asArguments, serverSettings } from '../cluster/settings.ts'
import { clearSocketFolder } from '../cluster/socket-folder.ts'
import { fromServerOutput, PostgresProblem } from '../problem.ts'
import { type Guarded, runGuarded } from './guard.ts'
import { stopLeftovers } from './processes.ts'
import { type Log, levelOf, readServerLine } from './server-log.ts'

export type Connection = {
  host: string
  port: number
  user: string
  password: string
  database: string
  /** Said outright, because pg otherwise takes it from PGSSLMODE. */
  ssl: false
}

/** One run of the server, from ready to gone. */
export type Run = { exited: Promise<number>; stop(): void }

export type Server = { start(signal?: AbortSignal): Promise<Run>; clear(): Promise<boolean> }

export function createServer(parts: {
  place: DatabaseLocation
  binaries: Binaries
  identity: Identity
  socketFolder: string
  /** The superuser, who alone can make the database where a first start did not get that far. */
  owner: () => Connection
  log: Log
  settings: Record<string, string>
}): Server {
  const { place, binaries, identity, socketFolder, owner, log } = parts

  /** Starts it and waits until it answers. */
  async function start(signal?: AbortSignal): Promise<Run> {
    clearPidFile(place)
    clearSocketFolder(socketFolder)
    const settings = { ...serverSettings(place.marker, socketFolder), ...parts.settings }
    const lastLines: string[] = []
    const guarded = runGuarded(binaries.postgres, ['-D', place.cluster, ...asArguments(settings)], {
      identity,
      onLine: (line) => {
        lastLines.splice(0, lastLines.length - 20)
        const read = readServerLine(line)
        if (!read) return
        lastLines.push(`${read.severity}: ${read.message}`)
        const { severity, process, pid } = read
        log(`postgres: ${read.message}`, { severity, process, pid }, levelOf(read))
      },
    })
    signal?.addEventListener('abort', guarded.stop, { once: true })
    try {
      if (await ready(guarded)) return guarded
    } catch (error) {
      guarded.stop()
      await guarded.exited
      throw error
    }
    throw fromServerOutput(`PostgreSQL did not start on '${place.cluster}'`, lastLines.join('\n'))
  }

  async function ready(guarded: Guarded): Promise<boolean> {
    let gone = false
    guarded.exited.then(
      () => (gone = true),
      () => (gone = true),
    )
    while (!gone) {
      const said = readPidFile(place)
      if (said?.ready && said.pid === guarded.pid() && (await answers(owner()))) return true
      // No limit in time: recovering a large database takes as long as it takes, and says so in the log.
      await Promise.race([delay(5), guarded.exited])
    }
    return false
  }

  return { start, clear: () => stopLeftovers(place.marker, log) }
}

const NO_DATABASE = '3D000'
const WRONG_PASSWORD = '28P01'
const STARTING_UP = '57P03'
const DISK_FULL = '53100'

/**
 * Wakes the checkpointer, which also ends segments of WAL for the archive: it began while the server was starting, and would sleep until
 * the next checkpoint is due, whatever `archive_timeout` says (CheckpointerMain asks RecoveryInProgress).
 */
const wakeUp = 'select pg_reload_conf()'

/** True when the database takes queries; makes it where a first start did not get that far. */
async function answers(connection: Connection): Promise<boolean> {
  try {
    await query(connection, wakeUp).catch((error) => makeDatabase(connection, error))
    return true
  } catch (error) {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (code === WRONG_PASSWORD) {
      throw new PostgresProblem(
        'The password kept for the embedded database is not its password. Remove the file postgres/password in the ' +
          'data folder: the next start sets a new one.',
        { cause: error },
      )
    }
    if (code === DISK_FULL)
      throw new PostgresProblem('The disk is full. Free some space and start again.', { cause: error })
    if (syscall === 'connect' || code === STARTING_UP || /terminated unexpectedly/.test(String(error))) return false
    throw error
  }
}

async function makeDatabase(connection: Connection, error: unknown): Promise<void> {
  if ((error as { code?: string }).code !== NO_DATABASE) throw error
  await query({ ...connection, database: 'postgres' }, `create database ${connection.database}`)
  await query(connection, wakeUp)
}

async function query(connection: Connection, text: string): Promise<void> {
  const client = new Client(connection)
  client.on('error', () => {}) // a server that goes away is noticed by its exit
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end().catch(() => {})
  }
}
