import type { FeedItem } from '../../formats/osv/document.ts'
import { isMalicious } from '../../formats/osv/malicious.ts'
import { quote } from '../../formats/problem.ts'
import type { WorkerQueryable } from '../../kernel/database.ts'
import { type AdvisoryRow, toRow, wholePackages } from './advisory-row.ts'
import * as store from './advisory-store.ts'
import { dropHolds, holdWidelyUsed } from './hold-store.ts'

export type Activation = {
  /** Records about malicious packages, withdrawn ones too. */
  records: number
  added: number
  changed: number
  removed: number
  /** Records about other things, which are left out. */
  otherRecords: number
  revision: number
}

/** The new state of a feed is not taken over, and what was active stays. The message says why. */
export class FeedRefused extends Error {
  override name = 'FeedRefused'
}

const batchRows = 500
const largestLoss = 0.05

type Options = { feed: store.FeedRow; items: AsyncIterable<FeedItem>; tag: string; force: boolean; now: Date }

/**
 * Makes the records of a feed the active ones, in the transaction of the caller: whole or not at all. Only what differs is
 * written. Anything that smells of a broken or shortened feed is refused unless it is forced.
 */
export async function activate(tx: WorkerQueryable, { feed, items, tag, force, now }: Options): Promise<Activation> {
  const revision = (await store.lockRevision(tx)) + 1
  const known = new Map((await store.knownAdvisories(tx, feed.id)).map((row) => [row.id, row]))
  const before = known
    .values()
    .filter((row) => row.listed)
    .reduce((count) => count + 1, 0)
  const seen = new Map<string, string>()
  const problems: string[] = []
  const tally = { added: 0, changed: 0, otherRecords: 0 }
  let batch = new Map<string, AdvisoryRow>()

  for await (const item of items) {
    if (item.problem) problems.push(`${item.name}: ${item.problem.detail}`)
    else if (!isMalicious(item.record)) tally.otherRecords++
    else if (isNews(item.record)) {
      const row = toRow(item.record)
      seen.set(row.id, row.modified)
      batch.set(row.id, row)
      if (batch.size >= batchRows) await write()
    }
  }
  await write()
  const gone = [...known.values()].filter((row) => row.listed && !seen.has(row.id)).map((row) => row.id)
  if (!force) refuseDoubtful(problems, { found: seen.size, gone: gone.length, before })
  if (gone.length > 0) {
    await store.unlist(tx, feed.id, revision, gone)
    await dropHolds(tx, gone)
  }
  const hasChanged = tally.added + tally.changed + gone.length > 0
  if (hasChanged) await store.setRevision(tx, revision)
  await store.noteActivation(tx, feed.id, { recordCount: seen.size, tag, at: now })
  await store.notify(tx)
  return { records: seen.size, ...tally, removed: gone.length, revision: hasChanged ? revision : revision - 1 }

  /** Of two records with one id, as overlapping exports have them, the later one counts. */
  function isNews(record: { id: string; modified: string }): boolean {
    const earlier = seen.get(record.id)
    return earlier === undefined || Date.parse(earlier) < Date.parse(record.modified)
  }

  async function write(): Promise<void> {
    const rows = [...batch.values()].filter((row) => {
      const stored = known.get(row.id)
      return !stored?.listed || stored.digest !== row.digest
    })
    batch = new Map()
    if (rows.length === 0) return
    for (const row of rows) tally[known.get(row.id)?.listed ? 'changed' : 'added']++
    await store.upsert(tx, feed.id, revision, rows)
    // What blocks already goes on doing so: only an entry that is new is held.
    await holdWidelyUsed(tx, rows.filter((row) => !known.get(row.id)?.whole).flatMap(wholePackages))
    await dropHolds(
      tx,
      rows.filter((row) => !row.live).map((row) => row.id),
    )
    for (const { id, digest, whole } of rows) known.set(id, { id, digest, whole, listed: true })
  }
}

function refuseDoubtful(
  problems: string[],
  { found, gone, before }: { found: number; gone: number; before: number },
): void {
  if (problems.length > 0) {
    const others = problems.length > 1 ? ` and ${problems.length - 1} more` : ''
    throw new FeedRefused(`The feed is corrupt: ${quote(problems[0]!, 300)}${others}.`)
  }
  if (found === 0) throw new FeedRefused('The feed has no advisories about malicious packages.')
  if (gone > before * largestLoss) {
    throw new FeedRefused(`The feed has lost ${gone} of its ${before} advisories, more than 5 % of them.`)
  }
}
