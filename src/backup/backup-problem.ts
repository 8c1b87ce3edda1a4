/** A backup that cannot be made or taken; the message says what the operator can do. */
export class BackupProblem extends Error {
  override name = 'BackupProblem'
}
