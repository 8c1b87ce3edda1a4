/** What a person at the command line, or a CI job, can do something about: one sentence, and what to exit with. */
export class CommandProblem extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 2) {
    super(message)
    this.name = 'CommandProblem'
    this.exitCode = exitCode
  }
}
