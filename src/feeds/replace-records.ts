import type { FeedItem } from '../formats/osv/document.ts'
import type { OsvRecord } from '../formats/osv/record.ts'
import { quote } from '../formats/problem.ts'

/** The new state of a feed is not taken over, and what was active stays. The message says why. */
export class FeedRefused extends Error {
  override name = 'FeedRefused'
}

/** A record as it is to be stored; the digest tells whether it brings news. */
export type Entry = { id: string; modified: string; digest: string }
export type KnownRecord = { digest: string; listed: boolean }

export type Replacement<Row extends Entry> = {
  items: AsyncIterable<FeedItem>
  /** Undefined for a record that is about something else. */
  rowOf: (record: OsvRecord) => Row | undefined
  /** What is stored of this feed, by id. */
  known: ReadonlyMap<string, KnownRecord>
  write: (rows: Row[]) => Promise<void>
  /** What the records are called: `advisories`. */
  what: string
  force: boolean
}

export type ReplacementCounts = {
  records: number
  added: number
  changed: number
  /** Records about other things, which are left out. */
  otherRecords: number
  /** Ids of those that are no longer in the feed. */
  gone: string[]
}

const batchRows = 500
const largestLoss = 0.05

/**
 * Writes what a feed has and we have not, batch by batch. Anything that smells of a broken or shortened feed is refused unless
 * it is forced: the caller's transaction then leaves no trace of what was written.
 */
export async function replaceRecords<Row extends Entry>(options: Replacement<Row>): Promise<ReplacementCounts> {
  const { items, rowOf, write, what, force } = options
  const known = new Map(options.known)
  const listed = [...known].filter(([, row]) => row.listed).map(([id]) => id)
  const seen = new Map<string, number>()
  const problems: string[] = []
  const tally = { added: 0, changed: 0, otherRecords: 0 }
  let batch = new Map<string, Row>()

  for await (const item of items) {
    if (item.problem) {
      problems.push(`${item.name}: ${item.problem.detail}`)
      continue
    }
    const row = rowOf(item.record)
    if (!row) tally.otherRecords++
    else if (isNews(row)) {
      batch.set(row.id, row)
      if (batch.size >= batchRows) await writeBatch()
    }
  }
  await writeBatch()
  const gone = listed.filter((id) => !seen.has(id))
  if (!force) refuseDoubtful(problems, what, { found: seen.size, gone: gone.length, before: listed.length })
  return { records: seen.size, ...tally, gone }

  /** Of two records with one id, as overlapping exports have them, the later one counts. */
  function isNews({ id, modified }: Row): boolean {
    const at = Date.parse(modified)
    const earlier = seen.get(id)
    if (earlier !== undefined && earlier >= at) return false
    seen.set(id, at)
    return true
  }

  async function writeBatch(): Promise<void> {
    const rows = [...batch.values()].filter((row) => {
      const stored = known.get(row.id)
      return !stored?.listed || stored.digest !== row.digest
    })
    batch = new Map()
    if (rows.length === 0) return
    for (const { id, digest } of rows) {
      tally[known.get(id)?.listed ? 'changed' : 'added']++
      known.set(id, { digest, listed: true })
    }
    await write(rows)
  }
}

function refuseDoubtful(
  problems: string[],
  what: string,
  { found, gone, before }: { found: number; gone: number; before: number },
): void {
  if (problems.length > 0) {
    const others = problems.length > 1 ? ` and ${problems.length - 1} more` : ''
    throw new FeedRefused(`The feed is corrupt: ${quote(problems[0]!, 300)}${others}.`)
  }
  if (found === 0) throw new FeedRefused(`The feed has no ${what}.`)
  refuseLoss(what, { gone, before })
}

/** A feed grows: one that is suddenly shorter was cut off on its way. */
export function refuseLoss(what: string, { gone, before }: { gone: number; before: number }): void {
  if (gone <= before * largestLoss) return
  throw new FeedRefused(`The feed has lost ${gone} of its ${before} ${what}, more than 5 % of them.`)
}
