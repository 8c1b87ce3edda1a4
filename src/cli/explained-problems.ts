import { BackupProblem } from '../backup/backup-problem.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { UnsafeConnection } from '../kernel/database/connections/connection.ts'
import { DatabaseProblem } from '../kernel/database/database-problem.ts'
import { PostgresProblem } from '../postgres/problem.ts'
import { SettingsProblem } from '../settings/setting-values.ts'
import { VaultError } from '../vault/vault-error.ts'

/** What the server's own code throws for a person who can do something about it. */
export const explainedProblems = [
  BackupProblem,
  PostgresProblem,
  DatabaseProblem,
  UnsafeConnection,
  SettingsProblem,
  VaultError,
  Fault,
]
