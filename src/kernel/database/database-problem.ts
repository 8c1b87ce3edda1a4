/** The database cannot be used as it is; the message says what the operator can do. */
export class DatabaseProblem extends Error {
  override name = 'DatabaseProblem'
}
