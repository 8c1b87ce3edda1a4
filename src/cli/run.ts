import type { Command } from 'commander'
import { BackupProblem } from '../backup/backup-problem.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { UnsafeConnection } from '../kernel/database/connections/connection.ts'
import { DatabaseProblem } from '../kernel/database/database-problem.ts'
import { PostgresProblem } from '../postgres/problem.ts'
import { SettingsProblem } from '../settings/setting-values.ts'
import { VaultError } from '../vault/vault-error.ts'
import { auditCommand } from './admin/audit.ts'
import { backupCommands } from './admin/backup.ts'
import { countersCommand } from './admin/counters.ts'
import { databaseCommands } from './admin/database.ts'
import { feedCommand } from './admin/feed.ts'
import { keysCommand } from './admin/keys.ts'
import { personCommand } from './admin/person.ts'
import { tokenCommand } from './admin/token.ts'
import { addClientCommands } from './client.ts'
import { CommandProblem } from './command-problem.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { runProgram } from './program.ts'
import { serveCommand } from './serve.ts'

const explained = [
  CommandProblem,
  BackupProblem,
  PostgresProblem,
  DatabaseProblem,
  UnsafeConnection,
  SettingsProblem,
  VaultError,
  Fault,
]

/** Runs one command line; returns the exit code. */
export function run(args: string[]): Promise<number> {
  return runProgram(
    { description: 'Self-hosted code and supply-chain security platform', addCommands, explained },
    args,
  )
}

function addCommands(program: Command, finish: (code: number) => void): void {
  serveCommand(program, finish)
  demoCommand(program)
  tokenCommand(program)
  personCommand(program)
  keysCommand(program, finish)
  auditCommand(program, finish)
  databaseCommands(program, finish)
  countersCommand(program)
  backupCommands(program)
  doctorCommand(program, finish)
  feedCommand(program, finish)
  addClientCommands(program, finish)
}
