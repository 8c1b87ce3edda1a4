import { setTimeout as delay } from 'node:timers/promises'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { moveConfiguration } from '../overrides/settings-store.ts'
import type { VerdictDataKeeper } from './verdict-data.ts'

/** A database that has come to a halt keeps nobody waiting for what is saved already. */
const longestMs = 2_000

/**
 * A transaction that changes what verdicts are made of. Whoever is answered gets verdicts by it from this process at once, and
 * within a second from every other.
 */
export async function changeVerdicts<T>(
  { db, knowledge }: { db: Database; knowledge: Pick<VerdictDataKeeper, 'refresh'> },
  actor: Actor,
  change: (tx: Transaction, configurationVersion: number) => Promise<T>,
): Promise<T> {
  const changed = await db.transaction(actor, async (tx) => change(tx, await moveConfiguration(tx)))
  await Promise.race([knowledge.refresh(), delay(longestMs, undefined, { ref: false })])
  return changed
}
