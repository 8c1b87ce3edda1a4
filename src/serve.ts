import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { compose, type House } from './compose.ts'
import { firstStart, forgetWelcome, type Welcome } from './first-start.ts'
import { systemClock } from './kernel/clock.ts'
import { migrate } from './kernel/migrate.ts'
import { openDatabase } from './open-database.ts'
import type { Settings } from './settings.ts'
import { loadMasterKey } from './vault/master-key.ts'

export type Running = { url: string; welcome: Welcome | undefined; stop(): Promise<void> }

// Long enough for requests that have left their client to arrive, short enough that nobody waits for a restart.
const lingerMs = 300

/** Opens the house: database, schema, keys, first owner, then the door. */
export async function serve(settings: Settings, log: Logger): Promise<Running> {
  const database = await openDatabase(settings, log)
  try {
    const { applied } = await migrate(database.connection)
    if (applied.length > 0) log.info({ applied }, 'migrated')
    const { key } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder })
    const house = compose({ settings, connection: database.connection, masterKey: key, clock: systemClock, log })
    const welcome = await firstStart(house, settings)
    await house.app.listen({ host: settings.host, port: settings.port, backlog: 1024 })
    const url = settings.port === 0 ? addressOf(house) : settings.publicUrl
    log.info({ url }, 'listening')
    const stop = async () => {
      await closeDoor(house)
      await database.stop()
      log.info('stopped')
    }
    return { url, welcome, stop }
  } catch (error) {
    await database.stop()
    throw error
  }
}

export { forgetWelcome }

/**
 * No request in flight fails: new ones are still answered for a moment, each with `Connection: close`, so that clients
 * go elsewhere; then the door closes, and what is under way is finished before the database goes.
 */
async function closeDoor(house: House): Promise<void> {
  house.readiness.closing = true
  await delay(lingerMs)
  await house.close()
}

function addressOf(house: House): string {
  const address = house.app.server.address()
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
}
