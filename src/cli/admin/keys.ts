import { userInfo } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createSigningKeys } from '../../capabilities/sessions/tokens/signing-keys.ts'
import { composeCore } from '../../compose/core.ts'
import type { ConnectionOptions } from '../../kernel/database/connections/connection.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import { openMasterKey, rotateMasterKey } from '../../start/master-key.ts'
import { reachDatabase, requireSchema } from '../../start/open-database.ts'
import { createKeyRotation, type Rotation } from '../../vault/rotation/key-rotation.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'

/** For whoever has the data folder, or the master key and the database. */
export function keysCommand(program: Command, finish: (code: number) => void): void {
  const keys = program.command('keys').description('look after the keys that stored secrets are sealed with')
  keys
    .command('rotate')
    .description(
      'make a new key and re-encrypt every stored secret with it while Gatehouse runs; can be interrupted and resumed',
    )
    .addOption(new Option('--deployment <id>', 'only the keys of this deployment').argParser(deploymentId))
    .addOption(new Option('--all', 'all of them (the default)').conflicts('deployment'))
    .addOption(
      new Option('--master', 'change the master key instead; running processes end').conflicts(['deployment', 'all']),
    )
    .option('--json', 'print JSON, for programs')
    .action(async ({ deployment, master }: { deployment?: number; master?: boolean }, command: Command) => {
      if (master) return changeMaster(command)
      const { rotations, signingKey } = await withKeys(async (keeper, core) =>
        deployment === undefined
          ? { rotations: await keeper.rotateAll(), signingKey: await createSigningKeys(core.db, core.ring).rotate() }
          : { rotations: [await keeper.rotateDeployment(deployment)], signingKey: '' },
      )
      const signing = signingKey ? [`JSON Web Tokens are signed with the new key ${signingKey}.`] : []
      print(command, { rotations, signingKey }, [...rotations.map(told), ...signing].join('\n'))
      finish(rotations.some(({ unreadable }) => unreadable.length > 0) ? 1 : 0)
    })
  keys
    .command('export')
    .description("print a deployment's keys for a scan agent, as JSON; the audit log records it")
    .option('--deployment <id>', 'the deployment', deploymentId, 1)
    .option('--json', 'print JSON, for programs (it always is)')
    .action(async ({ deployment }: { deployment: number }) => {
      console.log(JSON.stringify(await withKeys((keeper) => keeper.export(deployment)), null, 2))
    })
}

async function changeMaster(command: Command): Promise<void> {
  const settings = readSettings(process.env)
  const change = await withDatabase(settings, (connection) => rotateMasterKey(settings, connection, byHand()))
  const done =
    change.wrapped > 0
      ? `The master key was changed; ${change.wrapped} keys are sealed under the new one.`
      : 'The keys were sealed under the new master key already.'
  const where = change.formerKey
    ? `It is in the data folder. The former one is kept in ${change.formerKey}: backups from before need it.`
    : 'Set GATEHOUSE_KEY to the value of GATEHOUSE_NEW_KEY. Backups from before need the former one.'
  print(command, change, `${done} ${where} Processes that are running end by themselves: start them again.`)
}

type Keeper = ReturnType<typeof createKeyRotation>
type Core = ReturnType<typeof composeCore>

function withKeys<T>(work: (keeper: Keeper, core: Core) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  return withDatabase(settings, async (connection) => {
    const masterKey = await openMasterKey(settings, connection)
    const core = composeCore({ connection, masterKey, clock: systemClock })
    try {
      return await work(createKeyRotation(core, byHand()), core)
    } finally {
      await core.db.close()
    }
  })
}

async function withDatabase<T>(settings: Settings, work: (connection: ConnectionOptions) => Promise<T>): Promise<T> {
  const database = await reachDatabase(settings, createLog('silent'))
  try {
    await requireSchema(database)
    return await work(database.connection)
  } finally {
    await database.stop()
  }
}

function byHand(): string {
  return `${userInfo().username} on the command line`
}

function told({ scope, keyVersion, moved, unreadable, resumed }: Rotation): string {
  const whose = scope === 'instance' ? 'The keys of the instance' : `The keys of deployment ${scope}`
  const done = `${whose} are at version ${keyVersion}; ${moved} ${moved === 1 ? 'secret was' : 'secrets were'} re-encrypted.`
  const rest = resumed ? ' This completed an interrupted rotation.' : ''
  const lost =
    unreadable.length > 0 ? ` These could not be decrypted and were left unchanged: ${unreadable.join(', ')}.` : ''
  return `${done}${rest}${lost}`
}

function deploymentId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.')
  return Number(text)
}
