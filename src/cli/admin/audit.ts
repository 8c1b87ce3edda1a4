import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { auditHead, type ExportedHead, firstBreak } from '../../capabilities/audit/public.ts'
import type { Database } from '../../kernel/database/database.ts'
import { CommandProblem } from '../command-problem.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'
import { forDeployments } from './for-deployments.ts'

type Head = ExportedHead & { deploymentId: number; at: string }
type Verdict = { deploymentId: number; broken: { seq: number; reason: string } | null }

const deploymentHelp = 'only the log of this deployment'

/** For whoever has the data folder, or the master key and the database. */
export function auditCommand(program: Command, finish: (code: number) => void): void {
  const audit = program.command('audit').description('look after the audit logs')
  audit
    .command('head')
    .description('print the newest event of each log and its hash, to be kept elsewhere')
    .option('--deployment <id>', deploymentHelp, wholeNumber)
    .option('--json', 'print JSON, for programs')
    .action(async ({ deployment }: { deployment?: number }, command: Command) => {
      const heads = await forDeployments(deployment, headOf)
      print(command, { heads }, heads.map(({ deploymentId, seq, hash }) => `${deploymentId} ${seq} ${hash}`).join('\n'))
    })
  audit
    .command('keys')
    .description(
      'write the keys of the chains to a file, for whoever checks an export elsewhere: they could forge one, too',
    )
    .requiredOption('--out <file>', 'a new file, which only you can read')
    .option('--json', 'print JSON, for programs')
    .action(async ({ out }: { out: string }, command: Command) => {
      const versions = await writeKeys(out)
      print(command, { file: out, versions }, `The keys of the audit logs are in ${out}.`)
    })
  audit
    .command('verify')
    .description('check that no log was changed; exits with 1 where one was')
    .option('--deployment <id>', deploymentHelp, wholeNumber)
    .option('--heads <file>', 'what gatehouse audit head --json printed earlier: nothing up to there may be missing')
    .option('--json', 'print JSON, for programs')
    .action(async ({ deployment, heads }: { deployment?: number; heads?: string }, command: Command) => {
      const exported = (heads === undefined ? [] : readHeads(heads)).filter(
        ({ deploymentId }) => deployment === undefined || deploymentId === deployment,
      )
      const found = await forDeployments(deployment, (db, id) => verdictOf(db, id, exported))
      const verdicts = [...found, ...gone(found, exported)]
      print(command, { verdicts }, verdicts.map(told).join('\n'))
      finish(verdicts.every(({ broken }) => broken === null) ? 0 : 1)
    })
}

async function writeKeys(file: string): Promise<number[]> {
  const [keys] = await forDeployments(undefined, (db) => db.auditKeys())
  const entries = [...keys!.keys].map(([version, key]) => [version, key.export().toString('hex')])
  try {
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries))}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new CommandProblem(`'${file}' cannot be written: ${(error as Error).message}.`)
  }
  return [...keys!.keys.keys()]
}

async function headOf(db: Database, deploymentId: number): Promise<Head> {
  const head = await auditHead(db.as({ deploymentId }))
  if (!head) throw new CommandProblem(`The audit log of deployment ${deploymentId} is missing.`)
  return { deploymentId, seq: head.seq, hash: head.hash.toString('hex'), at: head.at?.toISOString() ?? '' }
}

async function verdictOf(db: Database, deploymentId: number, exported: Head[]): Promise<Verdict> {
  const mine = exported.filter((head) => head.deploymentId === deploymentId)
  const broken = await firstBreak(db.as({ deploymentId }), await db.auditKeys(), mine)
  return { deploymentId, broken: broken ?? null }
}

/** Nothing takes a deployment away, so one that has a kept head and is not there was lost with its whole log. */
function gone(found: Verdict[], exported: Head[]): Verdict[] {
  return exported
    .filter((head) => !found.some(({ deploymentId }) => deploymentId === head.deploymentId))
    .map(({ deploymentId, seq }) => ({
      deploymentId,
      broken: { seq, reason: 'it was exported, and the deployment is gone' },
    }))
}

function readHeads(file: string): Head[] {
  try {
    const { heads } = JSON.parse(readFileSync(file, 'utf8')) as { heads?: Head[] }
    if (
      Array.isArray(heads) &&
      heads.every(({ deploymentId, seq, hash }) => deploymentId > 0 && seq > 0 && /^[0-9a-f]{64}$/i.test(hash))
    ) {
      return heads
    }
  } catch (error) {
    throw new CommandProblem(`'${file}' cannot be read: ${(error as Error).message}.`)
  }
  throw new CommandProblem(`'${file}' is not what gatehouse audit head --json prints.`)
}

function told({ deploymentId, broken }: Verdict): string {
  const log = `The audit log of deployment ${deploymentId}`
  return broken ? `${log} breaks at event ${broken.seq}: ${broken.reason}.` : `${log} is whole.`
}
