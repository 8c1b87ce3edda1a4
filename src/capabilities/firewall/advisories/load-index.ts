import { ecosystems } from '../../../ecosystems/registry.ts'
import { affectedIntervals } from '../../../ecosystems/version-range.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import { changedAfter } from './advisory-store.ts'
import { createIndexBuilder } from './index-builder.ts'
import type { IndexArrays } from './index-layout.ts'

export type LoadedIndex = {
  arrays: IndexArrays
  /** Up to which it is complete. */
  revision: number
  /** Every advisory that was looked at, taken back or not, by `feed/id`. Left empty where everything was loaded. */
  changed: string[]
}

const batchRows = 2000

/** What changed after a revision, as an index; with 0, everything there is. In a transaction that sees one state throughout. */
export async function loadIndex(tx: WorkerQueryable, revision: number, after: number): Promise<LoadedIndex> {
  const builder = createIndexBuilder()
  const changed: string[] = []
  let position = { feedId: 0, id: '' }
  while (true) {
    const rows = await changedAfter(tx, after, position, batchRows)
    for (const { feedId, id, live, packages } of rows) {
      const advisoryId = `${feedId}/${id}`
      if (after > 0) changed.push(advisoryId)
      if (!live) continue
      for (const { ecosystem, name, ...affected } of packages) {
        builder.add({ advisoryId, ecosystem, name, intervals: affectedIntervals(ecosystems[ecosystem], affected) })
      }
    }
    const last = rows.at(-1)
    if (rows.length < batchRows || !last) return { arrays: builder.build(), revision, changed }
    position = { feedId: last.feedId, id: last.id }
  }
}
