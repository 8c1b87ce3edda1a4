import { randomUUID } from 'node:crypto'
import type { Actor } from '../access/actor.ts'
import type { Fault } from '../contract/fault.ts'
import type { Database, Transaction } from './database.ts'

/**
 * The first of two transactions with something between them that must not be done twice, such as a call to the outside. A
 * repetition by Idempotency-Key gets the result of the first request, and learns that it is one.
 */
export async function beforeExternalCall<T>(
  db: Database,
  actor: Actor,
  work: (tx: Transaction) => Promise<T>,
): Promise<{ result: T; isRepetition: boolean }> {
  const mark = randomUUID()
  const first = await db.transaction(actor, async (tx) => ({ mark, result: await work(tx) }))
  return { result: first.result, isRepetition: first.mark !== mark }
}

/** For a repetition: what the second transaction of the first request came to, or `otherwise` if it never got there. */
export function earlierResult<T>(db: Database, actor: Actor, otherwise: Fault): Promise<T> {
  return db.transaction<T>(actor, async () => {
    throw otherwise
  })
}
