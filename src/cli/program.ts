import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { CommandProblem } from './command-problem.ts'
import { wantsJson } from './output.ts'

/** Not 1, which some commands say something with. */
const wrongUsage = 2

/** Adds commands; `finish` takes the exit code of one that has something to say by it. */
export type AddCommands = (program: Command, finish: (code: number) => void) => void

export type ProgramParts = {
  description: string
  addCommands: AddCommands
  /**
   * What a person can do something about is told in one sentence, as a `CommandProblem` is; anything else is a bug and keeps
   * its stack.
   */
  explained: () => Promise<(new (...args: never[]) => Error)[]>
}

/** Runs one command line; returns the exit code. */
export async function runProgram({ description, addCommands, explained }: ProgramParts, args: string[]) {
  let exitCode = 0
  let json = false
  const program = new Command('gatehouse')
    .description(description)
    .version(packageJson.version)
    .option('--json', 'print JSON, for programs')
    .hook('preAction', (_, command) => {
      json = wantsJson(command)
    })
    .exitOverride()
  addCommands(program, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage
    return report(error, json, explained)
  }
}

async function report(error: unknown, json: boolean, explained: ProgramParts['explained']): Promise<number> {
  const known = error instanceof CommandProblem || (await explained()).some((kind) => error instanceof kind)
  const message = error instanceof Error ? error.message : String(error)
  if (json) console.log(JSON.stringify({ error: message }))
  else if (known) console.error(`gatehouse: ${message}`)
  else console.error('gatehouse: this is a bug.', error)
  if (error instanceof CommandProblem) return error.exitCode
  return known ? 1 : 70
}
