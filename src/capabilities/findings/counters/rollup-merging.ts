import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { withIds } from '../../repositories/public.ts'
import { listDeployments } from '../word-index/block-store.ts'
import * as store from './rollup-store.ts'

const everySeconds = 10
const sheetsAtOnce = 1_000
const fewestMerged = 4
/** PostgreSQL puts values of more than about 2,000 bytes elsewhere. */
const rowBytes = 1_900
/** More are not worth the time, and one transaction merges not many more: about a second of work. */
const mostBytes = 2_000_000

/** Keeps the sheets that reports read few: every change of findings adds some. */
export function createRollupMerging(db: Database): Periodic {
  /** Up to where they were looked at. Who starts again looks at all. */
  const seen = new Map<number, number>()

  async function run(): Promise<void> {
    for (const { id } of await listDeployments({ query: db.workerQuery })) await mergeAll(id)
  }

  async function mergeAll(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'findings-sheets')
    for (;;) {
      const sheets = await store.listRollups(db.as(actor), seen.get(deploymentId) ?? 0, sheetsAtOnce)
      if (sheets.length === 0) return
      for (const batch of batchesOf(await store.listAlike(db.as(actor), sheets))) {
        await db.transaction(actor, (tx) => merge(tx, batch))
      }
      seen.set(deploymentId, sheets.at(-1)!.id)
    }
  }

  return { name: 'findings.sheets', everySeconds, run }
}

async function merge(tx: Transaction, sheets: readonly store.RollupRow[]): Promise<void> {
  // Whoever deletes a repository deletes its sheets: not while they are written again.
  await withIds(
    tx,
    tx.actor,
    sheets.map((sheet) => sheet.repository_id),
  )
  await store.mergeRollups(
    tx,
    sheets.map((sheet) => sheet.id),
  )
}

/** What is put together, some of it in each transaction. Sheets of the same are in the same one. */
function batchesOf(sheets: readonly store.RollupRow[]): store.RollupRow[][] {
  const alike = Map.groupBy(sheets, ({ repository_id, rule_id, month }) => `${repository_id},${rule_id},${month}`)
  const batches: store.RollupRow[][] = []
  let room = 0
  for (const group of alike.values()) {
    const merged = group.slice(0, mergeable(group.map((sheet) => sheet.bytes)))
    if (merged.length === 0) continue
    if (room <= 0) {
      batches.push([])
      room = mostBytes
    }
    batches.at(-1)!.push(...merged)
    room -= sumOf(merged.map((sheet) => sheet.bytes))
  }
  return batches
}

/**
 * How many sheets, of sizes from the smallest, are best put together: all that fit into one row; else as many as go without
 * one that is much larger than all before it. So a large sheet is written again only when others have become half of it, and a
 * few of each size remain.
 */
export function mergeable(sizes: readonly number[]): number {
  if (sumOf(sizes) <= rowBytes) return sizes.length > 1 ? sizes.length : 0
  let sum = 0
  let count = 0
  for (const [at, size] of sizes.entries()) {
    if (sum + size > mostBytes) break
    if (size <= 2 * sum) count = at + 1
    sum += size
  }
  return count >= fewestMerged ? count : 0
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0)
}
