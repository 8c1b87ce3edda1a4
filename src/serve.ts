import type { Logger } from 'pino'
import { scheduleBases } from './backup/point-in-time/archive-schedule.ts'
import { scheduleBackups } from './backup/schedule.ts'
import { type Application, compose } from './compose/compose.ts'
import { downloadFolder, removeLeftDownloads } from './feeds/download-files.ts'
import { type Clock, systemClock } from './kernel/time/clock.ts'
import { ownUpstreamProblem } from './proxy/upstream/own-upstream.ts'
import { SettingsProblem } from './settings/setting-values.ts'
import type { Settings } from './settings/settings.ts'
import { buildConsole } from './start/build-console.ts'
import { openDataFolder } from './start/data-folder.ts'
import { createFirstSignIn } from './start/first-sign-in.ts'
import { firstStart, type Welcome } from './start/first-start.ts'
import { openMasterKey } from './start/master-key.ts'
import { checkDatabase, migrateDatabase, openDatabase } from './start/open-database.ts'
import { type ReservedPort, reservePort } from './start/reserve-port.ts'
import { VaultError } from './vault/vault-error.ts'

export type Running = {
  url: string
  application: Application
  /** Only where this was the first start. */
  welcome: Welcome | undefined
  /** Where the first sign-in is told, while nobody has removed it. */
  firstSignInFile: string | undefined
  /** Resolves when the master key was changed: this process has the former one. */
  outdated: Promise<void>
  stop(): Promise<void>
}

const lookForNewKeyMs = 5_000

/**
 * Starts Gatehouse: database, schema, keys, first owner, then the web server. The signal calls it off: what was opened is closed, and
 * its reason is thrown.
 */
export async function serve(
  given: Settings,
  log: Logger,
  clock: Clock = systemClock,
  signal?: AbortSignal,
): Promise<Running> {
  const reserved = await reservePort(given)
  try {
    return await start(reserved, log, clock, signal)
  } finally {
    await reserved.release()
  }
}

async function start(
  { settings, url, release }: ReservedPort,
  log: Logger,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Running> {
  if (!settings.databaseUrl) {
    const line = 'starting PostgreSQL in the data folder; the first time it is set up, which takes a moment'
    log.info({ dataFolder: settings.dataFolder }, line)
  } else openDataFolder(settings.dataFolder)
  // Beside the start of the database, which takes longer.
  const console = buildConsole()
  const ownUpstream = ownUpstreamProblem(settings)
  const database = await openDatabase(settings, log)
  let application: Application | undefined
  try {
    signal?.throwIfAborted()
    const loop = await ownUpstream
    if (loop) throw new SettingsProblem(loop)
    const { applied } = await migrateDatabase(database, settings, { tell: (sentence) => log.warn(sentence), signal })
    if (applied.length > 0) log.info({ applied }, 'migrated')
    // Before the first request: what a pooler between us and the database does shows here.
    await checkDatabase(database, settings)
    const masterKey = await openMasterKey(settings, database.connection)
    application = compose({ settings, connection: database.connection, masterKey, clock, log, console })
    // A master key that does not open the keys in the database is noticed here, not by the first who signs in.
    await application.signingKeys.publicKeys()
    signal?.throwIfAborted()
    const welcome = await firstStart(application, settings, database)
    // Without advisories the firewall would refuse every package: they are there before the first request.
    await Promise.all([application.documents.make(), application.firewall.refresh()])
    await removeLeftDownloads(downloadFolder(settings.dataFolder)).catch((error) =>
      log.warn({ err: error }, 'what is left of downloads of feeds could not be removed'),
    )
    signal?.throwIfAborted()
    await release()
    const { addresses, missing } = await listen(application, settings)
    application.jobs.start()
    log.info({ url, addresses }, 'listening')
    if (settings.feeds.length > 0) log.info({ feeds: settings.feeds.length }, feedsLine)
    if (missing.length > 0) log.warn({ host: settings.host, missing }, 'HOST has addresses that this machine does not')
    const opened = application
    const watch = watchMasterKey(application, log)
    const { folder, ...backup } = settings.backup
    const reserveBytes = settings.diskReserveBytes
    const backups = folder ? scheduleBackups({ folder, ...backup, reserveBytes }, database.asOwner, log) : undefined
    const { hours, days } = settings.walArchive
    const { walArchive, asOwner } = database
    const bases = walArchive && scheduleBases({ ...walArchive, hours, days, reserveBytes }, asOwner, log)
    const stop = async () => {
      watch.end()
      // Beside each other: a backup whose database does not answer holds up no load balancer.
      await Promise.all([closeApplication(opened), backups?.end(), bases?.end()])
      await database.stop()
      log.info('stopped')
    }
    const firstSignIn = createFirstSignIn(settings.dataFolder)
    const firstSignInFile = firstSignIn.read() && firstSignIn.file
    return { url, application, welcome, firstSignInFile, outdated: watch.outdated, stop }
  } catch (error) {
    await application?.close()
    await database.stop()
    throw error
  }
}

/** A process that has the former master key can seal nothing, so it ends; started again, it reads the new one. */
function watchMasterKey({ ring }: Application, log: Logger) {
  const { promise: outdated, resolve } = Promise.withResolvers<void>()
  const look = () =>
    ring.confirm().catch((error) => {
      // A database that cannot be reached says nothing about the key.
      if (!(error instanceof VaultError) || error.reason !== 'wrong_master_key') return
      log.fatal('The master key was changed and this process has the former one: it ends. Start it with the new one.')
      resolve()
    })
  const timer = setInterval(() => void look(), lookForNewKeyMs)
  return { outdated, end: () => clearInterval(timer) }
}

async function listen({ gracefulServer }: Application, { host, port }: Settings) {
  try {
    return await gracefulServer.open({ host, port })
  } catch (error) {
    const { code = '', address = host } = error as NodeJS.ErrnoException & { address?: string }
    const why = listenProblems[code]
    if (!why) throw error
    throw new SettingsProblem(`Port ${port} at ${address} ${why}. Set HOST and PORT to others.`, { cause: error })
  }
}

const listenProblems: Record<string, string> = {
  EADDRINUSE: 'is in use by another program',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not an address of this machine',
  EACCES: 'is not open to this user',
}

const feedsLine =
  'advisories are looked for; until every feed has come in once, the firewall refuses what no advisory names (gatehouse feed list)'

/** What is under way is finished before the database goes. */
async function closeApplication(application: Application): Promise<void> {
  application.readiness.closing = true
  await application.gracefulServer.close()
  await application.close()
}
