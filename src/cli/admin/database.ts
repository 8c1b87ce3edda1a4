import type { Command } from 'commander'
import { type Distribution, distribute } from '../../kernel/database/distribution/distribute.ts'
import { usualShards } from '../../kernel/database/distribution/placement.ts'
import { readSettings } from '../../settings/settings.ts'
import { migrateDatabase, reachDatabase } from '../../start/open-database.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'

export function databaseCommands(program: Command, finish: (code: number) => void): void {
  const db = program.command('db').description('look after the database')
  migrateCommand(db)
  distributeCommand(db, finish)
}

function migrateCommand(db: Command): void {
  db.command('migrate')
    .description('bring the schema up to date (serve does this too)')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const settings = readSettings(process.env)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        const result = await migrateDatabase(database, settings, { tell: (sentence) => console.error(sentence) })
        const done = result.applied.length > 0 ? `Applied ${result.applied.join(', ')}.` : 'Nothing to do.'
        print(command, result, `${done} The schema is at ${result.version}.`)
      } finally {
        await database.stop()
      }
    })
}

function distributeCommand(db: Command, finish: (code: number) => void): void {
  db.command('distribute')
    .description('distribute the tables over the nodes of a Citus cluster')
    .option('--shards <number>', `into how many parts deployments are put (default: ${usualShards})`, wholeNumber)
    .option('--check', 'only say what is in the way')
    .option('--json', 'print JSON, for programs')
    .action(async ({ shards, check = false }: { shards?: number; check?: boolean }, command: Command) => {
      const settings = readSettings(process.env)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        const tell = (sentence: string) => console.error(sentence)
        const result = await database.asOwner((owner) =>
          distribute(owner, { shardCount: shards, onlyCheck: check, tell }),
        )
        print(command, result, inWords(result, check))
        if (result.obstacles.length > 0) finish(1)
      } finally {
        await database.stop()
      }
    })
}

function inWords({ obstacles, placed }: Distribution, isCheck: boolean): string {
  if (obstacles.length > 0) return `Nothing was changed.\n${obstacles.map((each) => `- ${each}`).join('\n')}`
  if (isCheck) return 'Nothing is in the way.'
  return placed.length > 0
    ? `Distributed ${placed.length} tables.`
    : 'All tables had their place; rights and settings were renewed.'
}
