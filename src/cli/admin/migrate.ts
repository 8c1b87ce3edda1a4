import type { Command } from 'commander'
import { readSettings } from '../../settings/settings.ts'
import { migrateDatabase, reachDatabase } from '../../start/open-database.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'

export function migrateCommand(program: Command): void {
  program
    .command('db')
    .description('look after the database')
    .command('migrate')
    .description('bring the schema up to date (serve does this too)')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const settings = readSettings(process.env)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        const result = await migrateDatabase(database, settings)
        const done = result.applied.length > 0 ? `Applied ${result.applied.join(', ')}.` : 'Nothing to do.'
        print(command, result, `${done} The schema is at ${result.version}.`)
      } finally {
        await database.stop()
      }
    })
}
