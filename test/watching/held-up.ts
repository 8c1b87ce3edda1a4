import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { countLockWaits } from './lock-waits.ts'

/** Begins `request` while `hold` keeps what it needs; when it stands in line, lets `meanwhile` happen, then lets go. */
export async function heldUp<T>(
  database: pg.Client,
  hold: string,
  request: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  await database.query('begin')
  await database.query(hold)
  let isOver = false
  const answer = request().finally(() => {
    isOver = true
  })
  while (!isOver) {
    if ((await countLockWaits(database)) > 0) break
    await delay(5)
  }
  await meanwhile()
  await database.query('commit')
  return answer
}
