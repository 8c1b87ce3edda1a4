import type { Transaction } from '../../../kernel/database/database.ts'
import { createReadAhead } from '../../../kernel/database/read-ahead.ts'
import type { MoveRow, StoodRow } from '../counted-moves.ts'
import { listWithSeveralRefs, remarkDuplicates } from './duplicate-store.ts'

const none = { moves: [], stood: [] }

const touched = new WeakMap<object, number[][]>()

/** Remembers findings whose state, or code, is another one: what is the same on other branches may have to count instead. */
export function touch(tx: Transaction, ids: number[]): void {
  const lists = touched.get(tx.key)
  if (lists) lists.push(ids)
  else touched.set(tx.key, [ids])
}

const withSeveralRefs = createReadAhead((tx, ids: string) => listWithSeveralRefs(tx, ids.split(',').map(Number)))

/** For whoever has told what a source says about a repository, and has opened its stream: the end of the transaction asks. */
export function expectDuplicates(tx: Transaction, repositoryId: number): void {
  withSeveralRefs.begin(tx, String(repositoryId))
}

/** A thing that stands on several branches of a repository counts once in reports. Answers what is counted elsewhere now. */
export async function settleDuplicates(
  tx: Transaction,
  repositoryIds: readonly number[],
): Promise<{ moves: MoveRow[]; stood: StoodRow[] }> {
  const ids = touched.get(tx.key)?.flat() ?? []
  touched.delete(tx.key)
  if (ids.length === 0) return none
  // Nearly all are scanned on one branch.
  const several = await withSeveralRefs.take(tx, repositoryIds.join())
  if (several.length === 0) return none
  return remarkDuplicates(tx, several, ids)
}
