import sql from 'sql-template-tag'
import { Fault } from '../contract/fault.ts'
import type { Database } from '../database/database.ts'

/** Passed over at most so often, where nothing was found again and again. */
const mostPassedOver = 5

/**
 * One after the other. One that fails keeps no other from its turn; what failed is thrown in the end. Where the database is away
 * all would fail, each after a while: that is thrown at once.
 */
export async function eachInTurn<One>(all: Iterable<One>, work: (one: One) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) {
    try {
      await work(one)
    } catch (error) {
      if (error instanceof Fault && error.code === 'unavailable') throw error
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of them failed`)
}

/** All deployments, each for itself: what goes wrong in one leaves the others alone. */
export async function eachDeployment(
  db: Pick<Database, 'workerQuery'>,
  work: (deploymentId: number) => Promise<unknown>,
): Promise<void> {
  const rows = await db.workerQuery<{ id: number }>(sql`select id from deployment order by id`)
  await eachInTurn(rows, ({ id }) => work(id))
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

  async function lookWhereDue(id: number): Promise<void> {
    const known = quiet.get(id)
    if (known && known.left > 0 && !changed.has(id)) {
      known.left--
      return
    }
    // Before the look: what is changed meanwhile may have been missed by it, and one that fails is tried again.
    changed.delete(id)
    quiet.delete(id)
    if (await look(id)) return
    const times = Math.min((known?.times ?? 0) + 1, mostPassedOver)
    quiet.set(id, { times, left: times })
  }

  return () => eachDeployment(db, lookWhereDue)
}
