import sql from 'sql-template-tag'
import type { Database } from '../database/database.ts'

/** Passed over at most so often, where nothing was found again and again. */
const mostPassedOver = 5

export async function deploymentIds(db: Pick<Database, 'workerQuery'>): Promise<number[]> {
  const rows = await db.workerQuery<{ id: number }>(sql`select id from deployment order by id`)
  return rows.map(({ id }) => id)
}

/**
 * Looks for work in one deployment after the other, each time it is called. Of a thousand deployments most have none: where nothing
 * was found, one look is left out, then two, up to `mostPassedOver`, until something is found or this process changes something there.
 * `look` answers whether it found something.
 */
export function inEachDeployment(
  db: Pick<Database, 'workerQuery' | 'onChange'>,
  look: (deploymentId: number) => Promise<boolean>,
): () => Promise<void> {
  const quiet = new Map<number, { times: number; left: number }>()
  const changed = new Set<number>()
  db.onChange((deploymentId) => changed.add(deploymentId))

  return async () => {
    for (const id of await deploymentIds(db)) {
      const known = quiet.get(id)
      if (known && known.left > 0 && !changed.has(id)) {
        known.left--
        continue
      }
      // Before the look: what is changed meanwhile may have been missed by it, and one that fails is tried again.
      changed.delete(id)
      quiet.delete(id)
      if (await look(id)) continue
      const times = Math.min((known?.times ?? 0) + 1, mostPassedOver)
      quiet.set(id, { times, left: times })
    }
  }
}
