import type { Logger } from 'pino'
import type { ConnectionOptions } from './kernel/connection.ts'
import { startEmbedded } from './postgres/embedded.ts'
import { runningConnection } from './postgres/running.ts'
import type { Settings } from './settings.ts'

export type OpenDatabase = { connection: ConnectionOptions; embedded: boolean; stop(): Promise<void> }

/** The database of DATABASE_URL, or our own. */
export async function openDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  if (settings.databaseUrl) {
    return { connection: { connectionString: settings.databaseUrl }, embedded: false, stop: async () => {} }
  }
  const postgres = log.child({ part: 'postgres' })
  const server = await startEmbedded({
    folder: settings.dataFolder,
    log: (message, detail) => postgres.debug(detail ?? {}, message),
  })
  return { connection: server.connection, embedded: true, stop: server.stop }
}

/** The database of a Gatehouse that runs already, else as `openDatabase`: for commands beside a running server. */
export async function reachDatabase(settings: Settings, log: Logger): Promise<OpenDatabase> {
  const running = settings.databaseUrl ? undefined : runningConnection(settings.dataFolder)
  if (running) return { connection: running, embedded: true, stop: async () => {} }
  return openDatabase(settings, log)
}
