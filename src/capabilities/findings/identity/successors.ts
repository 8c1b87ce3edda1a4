import type { Transaction } from '../../../kernel/database/database.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import type { PackedFindings } from '../ingest/pack.ts'
import { renameEverywhere } from './former-names-store.ts'
import type { KnownFinding } from './pairing.ts'

/**
 * Which of the findings that are gone are among those that are new, under another name: by the name of the new one, that of the one
 * that is gone. Asked where there are both.
 */
export type FindSuccessors = (
  tx: Transaction,
  fresh: ReadonlySet<string>,
  gone: readonly KnownFinding[],
) => Promise<ReadonlyMap<string, string>>

type Place = { repositoryId: number; source: string }

/** Gives findings the names that their source has for them now, so that they are known by them from here on. */
export async function takeSuccessors<Row extends KnownFinding>(
  tx: Transaction,
  place: Place,
  known: ReadonlyMap<string, Row>,
  parts: readonly PackedFindings[],
  successors: FindSuccessors,
): Promise<ReadonlyMap<string, Row>> {
  const named = new Set(parts.flatMap((part) => part.batches.flatMap((batch) => batch.heads.fingerprint)))
  const gone: Row[] = []
  await inTurns(known.values(), (row) => {
    if (!named.has(row.fingerprint)) gone.push(row)
  })
  const fresh = new Set([...named].filter((name) => !known.has(name)))
  if (gone.length === 0 || fresh.size === 0) return known
  const found = await successors(tx, fresh, gone)
  if (found.size === 0) return known
  await renameEverywhere(tx, place, found)
  const renamed = new Map(known)
  for (const [fingerprint, former] of found) {
    const row = known.get(former)!
    renamed.delete(former)
    renamed.set(fingerprint, Object.assign(row, { fingerprint }))
  }
  return renamed
}
