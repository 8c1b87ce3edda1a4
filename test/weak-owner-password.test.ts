import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { compose } from '../src/compose/compose.ts'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { readSettings } from '../src/settings/settings.ts'
import { firstStart } from '../src/start/first-start.ts'
import { throwAwayDatabase } from './cluster.ts'
import { dataFolder } from './servers/real-process.ts'

test('an owner with a common password is not made, and nothing else either', async (t) => {
  const database = await throwAwayDatabase()
  const folder = dataFolder(t)
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_FEED: 'none', GATEHOUSE_OWNER_PASSWORD: 'Password1234' }
  const settings = readSettings(env)
  const log = pino({ level: 'silent' })
  const gatehouse = compose({
    settings,
    connection: database.connection,
    masterKey: randomBytes(32),
    clock: systemClock,
    log,
  })
  try {
    const owner = { asOwner: <T>(work: (to: ConnectionOptions) => Promise<T>) => work(database.connection) }
    await assert.rejects(firstStart(gatehouse, settings, owner), {
      name: 'SettingsProblem',
      message: /^GATEHOUSE_OWNER_PASSWORD must not be a common password/,
    })
    assert.equal(await gatehouse.deployments.count(), 0)
    assert.ok(!existsSync(join(folder, 'first-sign-in.json')))
  } finally {
    await gatehouse.close()
    await database.drop()
  }
})
