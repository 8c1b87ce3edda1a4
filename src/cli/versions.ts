import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { ecosystemIds } from '../ecosystems/ecosystem.ts'
import { CommandProblem } from './command-problem.ts'
import { wantsJson } from './output.ts'
import { printable } from './scan/receipt-table.ts'

/** Components of no ecosystem have versions that nobody can order. */
const ordered = ecosystemIds.filter((id) => id !== 'generic')

export function versionsCommand(program: Command, finish: (code: number) => void): void {
  const command = program
    .command('versions')
    .description('read lines like "1.0 < 1.1" on standard input and print those that Gatehouse orders differently')
    .argument('<ecosystem>', ordered.join(', '))
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nExits 0 when it agrees with all, 1 when not, 2 when a line cannot be read.')
  command.action(async (name: string) => {
    const { findEcosystem } = await import('../ecosystems/registry.ts')
    const { checkVersionLines } = await import('../ecosystems/version-lines.ts')
    const ecosystem = name === 'generic' ? undefined : findEcosystem(name)
    if (!ecosystem) throw new CommandProblem(`There is no ecosystem '${name}'; known: ${ordered.join(', ')}.`)
    const result = checkVersionLines(ecosystem, await text(process.stdin))
    const { disagreements, unreadable } = result
    if (wantsJson(command)) console.log(JSON.stringify(result))
    else {
      for (const { line, text, ours } of disagreements) console.log(printable(`line ${line}: ${text} (ours: ${ours})`))
      for (const { line, text } of unreadable) {
        console.error(printable(`gatehouse: line ${line} is not a comparison: ${text.slice(0, 200)}`))
      }
    }
    finish(unreadable.length > 0 ? 2 : disagreements.length > 0 ? 1 : 0)
  })
}
