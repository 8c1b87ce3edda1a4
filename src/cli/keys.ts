import { userInfo } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { composeCore } from '../compose.ts'
import { systemClock } from '../kernel/clock.ts'
import { DatabaseProblem } from '../kernel/database-problem.ts'
import { pendingMigrations } from '../kernel/migrate.ts'
import { reachDatabase } from '../open-database.ts'
import { readSettings } from '../settings.ts'
import { createKeyKeeper, type Rotation } from '../vault/key-keeper.ts'
import { loadMasterKey } from '../vault/master-key.ts'
import { createLog, print } from './output.ts'

/** For who has the data folder, or the master key and the database. */
export function keysCommand(program: Command, finish: (code: number) => void): void {
  const keys = program.command('keys').description('look after the keys that stored secrets are sealed with')
  keys
    .command('rotate')
    .description('make a new key and seal every stored secret anew with it, while Gatehouse goes on; may be broken off')
    .addOption(new Option('--deployment <id>', 'only the keys of this deployment').argParser(deploymentId))
    .addOption(new Option('--all', 'all of them (the default)').conflicts('deployment'))
    .option('--json', 'print JSON, for programs')
    .action(async ({ deployment }: { deployment?: number }, command: Command) => {
      const rotations = await withKeeper(async (keeper) =>
        deployment === undefined ? keeper.rotateAll() : [await keeper.rotateDeployment(deployment)],
      )
      print(command, { rotations }, rotations.map(told).join('\n'))
      finish(rotations.some(({ unreadable }) => unreadable.length > 0) ? 1 : 0)
    })
  keys
    .command('export')
    .description("print a deployment's keys for a scan agent, as JSON; the audit log records it")
    .option('--deployment <id>', 'the deployment', deploymentId, 1)
    .option('--json', 'print JSON, for programs (it always is)')
    .action(async ({ deployment }: { deployment: number }) => {
      console.log(JSON.stringify(await withKeeper((keeper) => keeper.export(deployment)), null, 2))
    })
}

async function withKeeper<T>(work: (keeper: ReturnType<typeof createKeyKeeper>) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  const database = await reachDatabase(settings, createLog('silent'))
  try {
    if ((await database.asOwner(pendingMigrations)).length > 0) {
      throw new DatabaseProblem('The schema is not up to date: start Gatehouse anew, or run npx gatehouse db migrate.')
    }
    const { key } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder })
    const core = composeCore({ connection: database.connection, masterKey: key, clock: systemClock })
    try {
      return await work(createKeyKeeper(core, `${userInfo().username} on the command line`))
    } finally {
      await core.db.close()
    }
  } finally {
    await database.stop()
  }
}

function told({ scope, keyVersion, moved, unreadable, resumed }: Rotation): string {
  const whose = scope === 'instance' ? 'The keys of the instance' : `The keys of deployment ${scope}`
  const done = `${whose} are at version ${keyVersion}; ${moved} ${moved === 1 ? 'secret was' : 'secrets were'} sealed anew.`
  const rest = resumed ? ' This ended a rotation that had been broken off.' : ''
  const lost = unreadable.length > 0 ? ` These cannot be opened and were left alone: ${unreadable.join(', ')}.` : ''
  return `${done}${rest}${lost}`
}

function deploymentId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.')
  return Number(text)
}
