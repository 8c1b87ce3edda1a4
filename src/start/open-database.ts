import pg from 'pg'
import type { Logger } from 'pino'
import { addressOf, type ConnectionOptions, UnsafeConnection } from '../kernel/database/connections/connection.ts'
import { admitService } from '../kernel/database/connections/service-logins.ts'
import { checkConnections } from '../kernel/database/connections/session-pooling.ts'
import { DatabaseProblem } from '../kernel/database/database-problem.ts'
import { isDistributedAt } from '../kernel/database/distribution/is-distributed.ts'
import { type Migrated, migrate, pendingMigrations } from '../kernel/database/migrations/migrate.ts'
import { connectProblem } from '../kernel/database/migrations/owner-session.ts'
import { connectionSettings, memorySettings } from '../postgres/cluster/settings.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { hasDatabase } from '../postgres/inspect.ts'
import { runningConnection, serviceConnection } from '../postgres/process/running.ts'
import type { Settings } from '../settings/settings.ts'

export type OpenDatabase = {
  /** What requests are served with. */
  connection: ConnectionOptions
  embedded: boolean
  /** What only the owner of the schema may do. How the owner signs in is not kept. */
  asOwner<T>(work: (owner: ConnectionOptions) => Promise<T>): Promise<T>
  /** Of the embedded server, where it archives WAL. */
  walArchive?: { cluster: string; archive: string } | undefined
  stop(): Promise<void>
}

/** The database of DATABASE_URL, or our own. */
export async function openDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  const { databaseUrl, migrationUrl } = settings
  if (databaseUrl) {
    const setting = migrationUrl ? 'GATEHOUSE_MIGRATION_DATABASE_URL' : 'DATABASE_URL'
    return {
      connection: { connectionString: databaseUrl, serviceLogin: migrationUrl !== undefined },
      embedded: false,
      asOwner: (work) => work({ connectionString: migrationUrl ?? databaseUrl, setting }),
      stop: async () => {},
    }
  }
  const postgres = log.child({ part: 'postgres' })
  const server = await startEmbedded({
    folder: settings.dataFolder,
    settings: { ...memorySettings(settings.memoryBytes), ...connectionSettings(settings.databaseConnections) },
    log: (message, detail = {}, level = 'debug') => postgres[level](detail, message),
    archiveFolder: settings.walArchive.folder,
  })
  const { cluster, archive } = server
  return {
    connection: server.service,
    embedded: true,
    asOwner: (work) => work(server.connection),
    walArchive: archive === undefined ? undefined : { cluster, archive },
    stop: server.stop,
  }
}

const noReplica =
  'GATEHOUSE_READ_DATABASE_URL names a replica, and the database is distributed by Citus: each node would need one. ' +
  'Leave the setting out.'

/** Where requests that only read are answered from. Its login is held to the same as that of the primary. */
export function replicaOf({ readDatabaseUrl, migrationUrl }: Settings): ConnectionOptions | undefined {
  return readDatabaseUrl ? { connectionString: readDatabaseUrl, serviceLogin: migrationUrl !== undefined } : undefined
}

/**
 * The database of a Gatehouse that runs already, else as `openDatabase`: for commands beside a running server. Makes none: a command
 * in the wrong folder would leave a new one there.
 */
export async function reachDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  const running = settings.databaseUrl ? undefined : runningConnection(settings.dataFolder)
  if (running) {
    const connection = serviceConnection(running)
    return { connection, embedded: true, asOwner: (work) => work(running), stop: async () => {} }
  }
  if (!settings.databaseUrl && !hasDatabase(settings.dataFolder)) throw noInstallation(settings.dataFolder)
  const database = await openDatabase(settings, log)
  // Its roles may be older than their logins.
  try {
    if (database.embedded) await database.asOwner((owner) => admit(owner, database.connection))
    return database
  } catch (error) {
    await database.stop()
    throw error
  }
}

function noInstallation(folder: string): DatabaseProblem {
  return new DatabaseProblem(
    `There is no installation of Gatehouse in '${folder}': set GATEHOUSE_DATA to its data folder, or DATABASE_URL to its database.`,
  )
}

/** Brings the schema up to date, and lets in who serves requests. */
export function migrateDatabase(
  { asOwner, connection }: OpenDatabase,
  { migrationWaitSeconds }: Settings,
  options: { tell(sentence: string): void; signal?: AbortSignal | undefined },
): Promise<Migrated> {
  return asOwner((owner) => migrate(owner, connection, { waitMs: migrationWaitSeconds * 1_000, ...options }))
}

/** For commands that work with what is in the database, beside a server that may be older or newer than they are. */
export async function requireSchema({ asOwner }: OpenDatabase): Promise<void> {
  if ((await asOwner(pendingMigrations)).length === 0) return
  throw new DatabaseProblem('The schema is not up to date: start Gatehouse again, or run npx gatehouse db migrate.')
}

/** Refuses a database whose connections do not keep tenants apart. */
export async function checkDatabase({ connection, asOwner }: OpenDatabase, settings: Settings): Promise<void> {
  if (settings.readDatabaseUrl && (await asOwner(isDistributedAt))) throw new DatabaseProblem(noReplica)
  try {
    await checkConnections(connection)
  } catch (error) {
    throw error instanceof UnsafeConnection ? error : connectProblem(error, connection)
  }
}

async function admit(owner: ConnectionOptions, service: ConnectionOptions): Promise<void> {
  const client = new pg.Client(addressOf(owner))
  await client.connect()
  try {
    await admitService(client, service)
  } finally {
    await client.end()
  }
}
