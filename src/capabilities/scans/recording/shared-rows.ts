import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { identifyRules } from '../../findings/public.ts'
import { addPackages, identifyLicences } from '../../inventory/public.ts'
import type { FileOutcome } from './receipt.ts'

/** What a smaller upload writes is written in a moment, and its locks are gone with it. */
const large = 2_000

/**
 * Packages, versions, licences and rules belong to the whole deployment. An upload that is the first to name one keeps all others
 * that name it waiting until it commits, and a large one takes long. So a large one adds them beforehand, in transactions of
 * their own: by themselves they say nothing about any repository, and the next upload needs them as well.
 */
export async function addSharedRows(
  db: Database,
  asking: Actor,
  outcomes: readonly FileOutcome[],
  isInventory: boolean,
): Promise<void> {
  const actor = doneEachTime(asking)
  const readings = outcomes.flatMap(({ reading }) => reading ?? [])
  const inventories = isInventory ? readings.flatMap(({ packed }) => packed ?? []) : []
  const dependencies = inventories.reduce((sum, packed) => sum + packed.count, 0)
  if (dependencies > large) {
    for (const { licences, batches } of inventories) {
      await db.transaction(actor, (tx) => identifyLicences(tx, licences))
      for (const batch of batches) await db.transaction(actor, (tx) => addPackages(tx, batch))
    }
  }
  const logs = readings.flatMap(({ findings }) => findings ?? [])
  const results = logs.reduce((sum, { packed }) => sum + packed.count, 0)
  if (results <= large) return
  for (const { source, packed } of logs) await db.transaction(actor, (tx) => identifyRules(tx, source, packed.rules))
}
