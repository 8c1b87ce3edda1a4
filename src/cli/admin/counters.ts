import type { Command } from 'commander'
import sql from 'sql-template-tag'
import * as findings from '../../capabilities/findings/public.ts'
import * as issues from '../../capabilities/issues/public.ts'
import { composeCore } from '../../compose-core.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { reachDatabase, requireSchema } from '../../open-database.ts'
import { readSettings } from '../../settings.ts'
import { loadMasterKey } from '../../vault/master-key/master-key.ts'
import { CommandProblem } from '../command-problem.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'
import { wholeNumber } from '../whole-number.ts'

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
      const rebuilt = await rebuildAll(deployment)
      print(command, { rebuilt }, rebuilt.map(told).join('\n'))
    })
}

async function rebuildAll(only: number | undefined): Promise<Rebuilt[]> {
  const settings = readSettings(process.env)
  const database = await reachDatabase(settings, createLog('silent'))
  try {
    await requireSchema(database)
    const { key } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder })
    const { db } = composeCore({ connection: database.connection, masterKey: key, clock: systemClock })
    try {
      const all = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
      const chosen = all.filter(({ id }) => only === undefined || id === only)
      if (chosen.length === 0) throw new CommandProblem(`There is no deployment ${only ?? 1}.`)
      const rebuilt: Rebuilt[] = []
      for (const { id } of chosen) rebuilt.push(await rebuild(db, id))
      return rebuilt
    } finally {
      await db.close()
    }
  } finally {
    await database.stop()
  }
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
