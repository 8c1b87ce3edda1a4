import sql from 'sql-template-tag'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'

const againMs = 5 * 60_000

/** Whether clients of a deployment have ever been given anything by the firewall: who has none cannot go past it. */
export function createFirewallUse({ db, clock }: { db: Database; clock: Clock }) {
  const known = new Map<number, { isUsed: boolean; at: number }>()

  return async function isUsed(deploymentId: number): Promise<boolean> {
    const before = known.get(deploymentId)
    const now = clock.now().getTime()
    if (before && (before.isUsed || now - before.at < againMs)) return before.isUsed
    const found = await db
      .as(systemActor(deploymentId, 'firewall'))
      .query(sql`select from firewall_fetch where deployment_id = ${deploymentId} limit 1`)
    known.set(deploymentId, { isUsed: found.length > 0, at: now })
    return found.length > 0
  }
}
