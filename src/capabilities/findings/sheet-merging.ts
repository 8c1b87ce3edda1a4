import { systemActor } from '../../kernel/actor.ts'
import type { Database, Transaction } from '../../kernel/database.ts'
import type { Periodic } from '../../kernel/job.ts'
import { withIds } from '../repositories/reads.ts'
import { listDeployments } from './block-store.ts'
import * as store from './sheet-store.ts'

const everySeconds = 10
const sheetsAtOnce = 1_000
const fewestMerged = 4
/** PostgreSQL puts values of more than about 2,000 bytes elsewhere. */
const rowBytes = 1_900

/** Keeps the sheets that reports read few: every change of findings adds some. */
export function createSheetMerging(db: Database): Periodic {
  /** Up to where they were looked at. Who starts again looks at all. */
  const seen = new Map<number, number>()

  async function run(): Promise<void> {
    for (const { id } of await listDeployments({ query: db.workerQuery })) await mergeAll(id)
  }

  async function mergeAll(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'findings-sheets')
    for (;;) {
      const sheets = await store.listSheets(db.as(actor), seen.get(deploymentId) ?? 0, sheetsAtOnce)
      if (sheets.length === 0) return
      await db.transaction(actor, (tx) => mergeSome(tx, sheets))
      seen.set(deploymentId, sheets.at(-1)!.id)
    }
  }

  return { name: 'findings.sheets', everySeconds, run }
}

async function mergeSome(tx: Transaction, sheets: readonly store.SheetKey[]): Promise<void> {
  // Whoever deletes a repository deletes its sheets: not while they are written anew.
  await withIds(
    tx,
    tx.actor,
    sheets.map((sheet) => sheet.repository_id),
  )
  const groups = Map.groupBy(await store.listAlike(tx, sheets), (sheet) =>
    [sheet.repository_id, sheet.rule_id, sheet.month].join(),
  )
  const ids = [...groups.values()].flatMap((group) =>
    group.slice(0, mergeable(group.map((sheet) => sheet.bytes))).map((sheet) => sheet.id),
  )
  if (ids.length > 0) await store.mergeSheets(tx, ids)
}

/**
 * How many sheets, of sizes from the smallest, are best put together: all that fit into one row; else as many as go without
 * one that is much larger than all before it. So a large sheet is written again only when others have become half of it, and a
 * few of each size remain.
 */
export function mergeable(sizes: readonly number[]): number {
  let sum = 0
  let count = 0
  for (const [at, size] of sizes.entries()) {
    if (size <= 2 * sum) count = at + 1
    sum += size
  }
  if (sum <= rowBytes) return sizes.length > 1 ? sizes.length : 0
  return count >= fewestMerged ? count : 0
}
