import type { Command } from 'commander'
import sql from 'sql-template-tag'
import * as findings from '../../capabilities/findings/public.ts'
import * as issues from '../../capabilities/issues/public.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'
import { forDeployments } from './for-deployments.ts'

type Rebuilt = { deploymentId: number; findings: number; issues: number }

export function countersCommand(program: Command): void {
  program
    .command('counters')
    .description('look after the counters of findings and issues')
    .command('rebuild')
    .description('make them what a recount says, beside a running server; doctor finds those that are wrong')
    .option('--deployment <id>', 'only those of this deployment', wholeNumber)
    .option('--json', 'print JSON, for programs')
    .action(async ({ deployment }: { deployment?: number }, command: Command) => {
      const rebuilt = await forDeployments(deployment, rebuild)
      print(command, { rebuilt }, rebuilt.map(told).join('\n'))
    })
}

/** All or nothing for each deployment. The audit log has it where something was wrong. */
export function rebuild(db: Database, deploymentId: number): Promise<Rebuilt> {
  return db.transaction(systemActor(deploymentId, 'counters-rebuild'), async (tx) => {
    // Every finding is read and summed up, which takes half a minute for a million.
    await tx.query(sql`set local statement_timeout = '10min'`)
    await tx.query(sql`set local work_mem = '128MB'`)
    const corrected = { findings: await findings.rebuildCounters(tx), issues: await issues.rebuildCounters(tx) }
    if (corrected.findings + corrected.issues > 0) {
      tx.audit({ action: 'counters.rebuild', target: `deployment:${deploymentId}`, detail: corrected })
    }
    return { deploymentId, ...corrected }
  })
}

function told({ deploymentId, findings, issues }: Rebuilt): string {
  if (findings + issues === 0) return `The counters of deployment ${deploymentId} were right.`
  return `Corrected ${findings} counters of findings and ${issues} of issues in deployment ${deploymentId}.`
}
