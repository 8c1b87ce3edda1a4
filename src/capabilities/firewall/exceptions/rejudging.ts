import sql from 'sql-template-tag'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import { eachInTurn } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { moveConfiguration } from '../overrides/settings-store.ts'
import { versionPattern } from '../patterns/version-pattern.ts'
import { tellLater } from './exception-news.ts'
import * as store from './exception-store.ts'
import { type ExceptionFirewall, endEarly } from './exceptions.ts'
import { vulnerabilityIds } from './known-vulnerabilities.ts'

export type RejudgingOptions = {
  db: Database
  clock: Clock
  firewall: Pick<ExceptionFirewall, 'maliceOf' | 'advisoriesOf'> & {
    /** Makes sure that what is in memory is at least that far, if anything is. */
    reach(deploymentId: number, state: { revision: number; configurationVersion: number }): Promise<boolean>
  }
}

type Mark = { revision: number; text: string }

/**
 * Every exception in force is judged again when advisories have changed. What is known to be malicious is refused from the moment
 * that is known; here its exception ends for good, and whoever asked is told. Other advisories end none: who decides is told.
 */
export function createRejudging({ db, clock, firewall }: RejudgingOptions): Periodic {
  const worker = { query: db.workerQuery }

  async function run(): Promise<void> {
    const now = clock.now()
    const mark = await readMark(worker)
    await eachInTurn(await deploymentsBehind(worker, mark, now), async (id) => {
      if (!(await firewall.reach(id, { revision: mark.revision, configurationVersion: 0 }))) return
      await db.transaction(systemActor(id, 'firewall-exceptions'), async (tx) => {
        await moveConfiguration(tx)
        for (const row of await store.listInForce(tx, now)) await rejudge(tx, row, now)
        await tx.query(sql`update firewall_deployment set exceptions_judged = ${mark.text}
          where deployment_id = ${tx.deploymentId}`)
      })
    })
  }

  async function rejudge(tx: Transaction, row: store.ExceptionRow, now: Date): Promise<void> {
    const malicious = newlyMalicious(tx.deploymentId, row)
    if (malicious.length > 0) {
      await endEarly(tx, row, `Known to be malicious: ${malicious.slice(0, 3).join(', ')}.`, now, malicious)
      return
    }
    const { ecosystem, name, versions, knownAdvisories, newAdvisoryIds } = row
    const named = await vulnerabilityIds(tx, { ecosystem, name, version: versions })
    const fresh = named.filter((id) => !knownAdvisories.includes(id))
    if (fresh.every((id) => newAdvisoryIds.includes(id))) return
    await store.noteAdvisories(tx, row.id, fresh)
    await tellLater(tx, row.id, 'advised')
  }

  /** Of one version what names it; of more than one any advisory that was not there when it was approved. */
  function newlyMalicious(deploymentId: number, row: store.ExceptionRow): readonly string[] {
    const { ecosystem, name, versions, knownAdvisories } = row
    if (versionPattern(ecosystem, versions).kind === 'exact')
      return firewall.maliceOf(deploymentId, ecosystem, name, versions).advisoryIds
    return firewall.advisoriesOf(ecosystem, name).filter((id) => !knownAdvisories.includes(id))
  }

  return { name: 'firewall.exceptions', everySeconds: 10, run }
}

async function readMark(db: WorkerQueryable): Promise<Mark> {
  const [row] = await db.query<Mark>(sql`select malicious.revision,
      vulnerable.revision || '.' || malicious.revision as text
    from advisory_state malicious, vulnerability_state vulnerable`)
  return row!
}

async function deploymentsBehind(db: WorkerQueryable, { text }: Mark, now: Date): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select known.deployment_id as id from firewall_deployment known
    where known.exceptions_judged <> ${text} and exists (select 1 from firewall_exception granted
      where granted.deployment_id = known.deployment_id and granted.state = 'approved' and granted.expires_at > ${now})
    order by known.deployment_id`)
  return rows.map(({ id }) => id)
}
