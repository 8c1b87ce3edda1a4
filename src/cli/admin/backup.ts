import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readBackupFile } from '../../backup/backup-file.ts'
import { brokenOffBeside } from '../../backup/broken-off.ts'
import { makeBackup } from '../../backup/make-backup.ts'
import { latest, restoreMoment } from '../../backup/point-in-time/restore-moment.ts'
import { restore } from '../../backup/restore.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import { openDatabase, reachDatabase, requireSchema } from '../../start/open-database.ts'
import { keepMasterKey, loadMasterKey } from '../../vault/master-key/master-key.ts'
import { CommandProblem } from '../command-problem.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'

const keyAdvice = 'Start it with the master key that belongs to it: GATEHOUSE_KEY, or the file key in the data folder.'

/** For whoever has the data folder, or the database. */
export function backupCommand(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'where to; it must not exist')
    .description('write everything in the database to a file, beside a running server')
    .option('--with-key', 'the master key too: who has the file then has every secret in it')
    .option('--json', 'print JSON, for programs')
    .action(async (file: string, { withKey }: { withKey?: true }, command: Command) => {
      const settings = readSettings(process.env)
      if (existsSync(file)) throw new CommandProblem(`'${file}' exists already.`)
      const key = withKey && masterKeyText(settings)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        await requireSchema(database)
        const passphrase = settings.backup.passphrase
        const bytes = await database.asOwner((owner) => makeBackup(owner, file, { passphrase, key }))
        const how = passphrase ? 'encrypted' : 'not encrypted'
        const keySaid = key ? 'with the master key' : 'without the master key'
        const brokenOff = await database.asOwner((owner) => brokenOffBeside(file, owner))
        const lines = [`Wrote ${file}: ${bytes} bytes, ${how}, ${keySaid}.`, ...brokenOff.map(leftover)]
        print(command, { file, bytes, brokenOff }, lines.join('\n'))
      } finally {
        await database.stop()
      }
    })
}

function leftover(partial: string): string {
  return `Remove ${partial}: it is left of a backup that was broken off, unless another installation is writing it.`
}

export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .argument('<file>', 'what gatehouse backup wrote, or the folder of an archive of WAL')
    .description('bring a backup into an empty data folder or database, or what an archive of WAL has of a moment')
    .option('--to <time>', `from an archive: the moment, as 2026-11-16T12:00:00Z, or ${latest}`)
    .option('--json', 'print JSON, for programs')
    .action(async (file: string, { to }: { to?: string }, command: Command) => {
      const settings = readSettings(process.env)
      if (to !== undefined) return restoreFromArchive(settings, file, to, command)
      const { passphrase } = settings.backup
      // Before a data folder is made for it.
      for await (const _ of readBackupFile(file, passphrase));
      const database = await openDatabase(settings, createLog('silent'))
      try {
        const restored = await database.asOwner((owner) =>
          restore(
            owner,
            database.connection,
            () => readBackupFile(file, passphrase),
            (key) => keepMasterKey(settings.dataFolder, key),
          ),
        )
        const { header, tables, migrated, keptKey } = restored
        const key = keptKey ? 'The master key is in the data folder.' : keyAdvice
        const since = migrated.length > 0 ? ` Migrated since: ${migrated.join(', ')}.` : ''
        print(
          command,
          { madeAt: header.madeAt, version: header.version, tables, migrated, keptKey },
          `Restored ${tables} tables as of ${header.madeAt}, of Gatehouse ${header.version}.${since} ${key}`,
        )
      } finally {
        await database.stop()
      }
    })
}

async function restoreFromArchive(settings: Settings, folder: string, to: string, command: Command): Promise<void> {
  if (settings.databaseUrl)
    throw new CommandProblem('An archive of WAL is restored into a data folder: leave DATABASE_URL out.')
  const restored = await restoreMoment(folder, settings.dataFolder, to)
  const last = restored.lastTransactionAt ? ` The last transaction was at ${restored.lastTransactionAt}.` : ''
  print(command, restored, `Restored ${settings.dataFolder} as of ${to}.${last} ${keyAdvice}`)
}

function masterKeyText(settings: Settings): string {
  return loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder, mayMake: false }).key.toString('base64')
}
