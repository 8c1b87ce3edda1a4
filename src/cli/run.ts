import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { Fault } from '../kernel/contract/fault.ts'
import { UnsafeConnection } from '../kernel/database/connection.ts'
import { DatabaseProblem } from '../kernel/database/database-problem.ts'
import { PostgresProblem } from '../postgres/problem.ts'
import { SettingsProblem } from '../settings.ts'
import { VaultError } from '../vault/vault-error.ts'
import { auditCommand } from './admin/audit.ts'
import { feedCommand } from './admin/feed.ts'
import { keysCommand } from './admin/keys.ts'
import { migrateCommand } from './admin/migrate.ts'
import { personCommand } from './admin/person.ts'
import { tokenCommand } from './admin/token.ts'
import { CommandProblem } from './command-problem.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { firewallCommand } from './firewall/firewall.ts'
import { wantsJson } from './output.ts'
import { scanCommand } from './scan/scan.ts'
import { uploadCommand } from './scan/upload.ts'
import { serveCommand } from './serve.ts'
import { versionsCommand } from './versions.ts'

/** What a person can do something about is told in one sentence; anything else is a bug and keeps its stack. */
const explained = [
  CommandProblem,
  PostgresProblem,
  DatabaseProblem,
  UnsafeConnection,
  SettingsProblem,
  VaultError,
  Fault,
]

/** Not 1, which some commands say something with. */
const wrongUsage = 2

/** Runs one command line; returns the exit code. */
export async function run(args: string[]): Promise<number> {
  let exitCode = 0
  let json = false
  const program = new Command('gatehouse')
    .description('Self-hosted code and supply-chain security platform')
    .version(packageJson.version)
    .option('--json', 'print JSON, for programs')
    .hook('preAction', (_, command) => {
      json = wantsJson(command)
    })
    .exitOverride()
  const finish = (code: number) => {
    exitCode = code
  }
  serveCommand(program, finish)
  demoCommand(program)
  tokenCommand(program)
  personCommand(program)
  keysCommand(program, finish)
  auditCommand(program, finish)
  migrateCommand(program)
  doctorCommand(program, finish)
  scanCommand(program, finish)
  uploadCommand(program, finish)
  versionsCommand(program, finish)
  feedCommand(program, finish)
  firewallCommand(program, finish)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage
    return report(error, json)
  }
}

function report(error: unknown, json: boolean): number {
  const known = explained.some((kind) => error instanceof kind)
  const message = error instanceof Error ? error.message : String(error)
  if (json) console.log(JSON.stringify({ error: message }))
  else if (known) console.error(`gatehouse: ${message}`)
  else console.error('gatehouse: this is a bug.', error)
  if (error instanceof CommandProblem) return error.exitCode
  return known ? 1 : 70
}
