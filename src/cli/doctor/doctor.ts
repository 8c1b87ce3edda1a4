import type { Command } from 'commander'
import { readSettings } from '../../settings/settings.ts'
import { print } from '../output.ts'
import { runDoctorChecks } from './doctor-checks.ts'
import type { CheckResult } from './machine-checks.ts'
import { checkUpstreams } from './upstream-checks.ts'

const marks = { ok: '✓', warning: '!', problem: '✗' }

export function doctorCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('doctor')
    .description('check data folder, database, keys, clock and audit log, and say what to do')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const settings = readSettings(process.env)
      const findings = [...(await runDoctorChecks(settings)), ...(await checkUpstreams(settings))]
      const healthy = findings.every((finding) => finding.state !== 'problem')
      print(command, { healthy, findings }, findings.map(line).join('\n'))
      finish(healthy ? 0 : 1)
    })
}

function line({ state, part, detail, advice }: CheckResult): string {
  return `${marks[state]} ${part}: ${detail}${advice ? `\n    → ${advice}` : ''}`
}
