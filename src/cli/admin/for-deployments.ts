import sql from 'sql-template-tag'
import { composeCore } from '../../compose/core.ts'
import type { Database } from '../../kernel/database/database.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { readSettings } from '../../settings/settings.ts'
import { reachDatabase, requireSchema } from '../../start/open-database.ts'
import { loadMasterKey } from '../../vault/master-key/master-key.ts'
import { CommandProblem } from '../command-problem.ts'
import { createLog } from '../log.ts'

/** Does something for one deployment after the other, or for one alone, beside or without a running server. */
export async function forDeployments<T>(
  only: number | undefined,
  work: (db: Database, id: number) => Promise<T>,
): Promise<T[]> {
  const settings = readSettings(process.env)
  const database = await reachDatabase(settings, createLog('silent'))
  try {
    await requireSchema(database)
    const { key } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder, mayMake: false })
    const { db } = composeCore({ connection: database.connection, masterKey: key, clock: systemClock })
    try {
      const all = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
      const chosen = all.filter(({ id }) => only === undefined || id === only)
      if (chosen.length === 0) throw new CommandProblem(`There is no deployment ${only ?? 1}.`)
      const results: T[] = []
      for (const { id } of chosen) results.push(await work(db, id))
      return results
    } finally {
      await db.close()
    }
  } finally {
    await database.stop()
  }
}
