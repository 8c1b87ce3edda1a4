import { readContext } from '../../../formats/sarif/identity/content.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { groupOf, isPresent } from '../identity/pairing.ts'
import { recognise } from '../identity/recognise.ts'
import type { FindingBatch, PackedFindings } from '../ingest/pack.ts'
import { listStanding, type StoredFindingRow } from '../ingest/reconcile-store.ts'
import { isWholeStream } from './base-store.ts'

/** What a pull request is compared with. */
export type Base = {
  /** What this ref has by its latest full scan; or these, by fingerprint; undefined: nobody knows. */
  has: { ref: string } | ReadonlySet<string> | undefined
  /** Also raises what cannot be compared. */
  raiseUnknown: boolean
}

export type Comparison = {
  isKnown: boolean
  raiseUnknown: boolean
  /** Whether the base has the result at this place of a batch. */
  has(batch: FindingBatch, place: number): boolean
  /** Whether the base has what is known of the pull request by this row, which no other result of it is. */
  hasRow(row: StoredFindingRow): boolean
}

/** Everything is new, as on a branch. */
export const noBase: Comparison = { isKnown: true, raiseUnknown: true, has: () => false, hasRow: () => false }

/** What the source says of the ref that a pull request is compared with, where it ever told all there is. */
export async function readBase(
  tx: Transaction,
  { repositoryId, source, base }: { repositoryId: number; source: string; base?: Base | undefined },
): Promise<BaseRows> {
  const has = base?.has
  if (!has || !('ref' in has)) return undefined
  const subject = { repositoryId, source, pullRequest: 0, ref: has.ref }
  const [isWhole, standing] = await Promise.all([isWholeStream(tx, subject), listStanding(tx, subject)])
  return isWhole ? standing : undefined
}

type BaseRows = ReadonlyMap<string, StoredFindingRow> | undefined

/** Equal results are compared by their code, and by their number where that is not known: see pairGroup. */
export async function compareWithBase(
  { has, raiseUnknown }: Base,
  rows: BaseRows,
  parts: readonly PackedFindings[],
): Promise<Comparison> {
  if (has === undefined) return { ...noBase, isKnown: false, raiseUnknown }
  if (has instanceof Set) {
    const fingerprints: ReadonlySet<string> = has
    const isThere = (fingerprint: string) => fingerprints.has(fingerprint)
    return comparison((batch, place) => isThere(batch.heads.fingerprint[place]!), parts)
  }
  if (!rows) return { ...noBase, isKnown: false, raiseUnknown }
  const standing = new Map<string, StoredFindingRow>()
  await inTurns(rows.values(), (row) => {
    if (isPresent(row)) standing.set(row.fingerprint, row)
  })
  const { of } = await recognise(standing, parts)
  return comparison((batch, place) => of(batch).rows[place] !== undefined, parts)
}

async function comparison(has: Comparison['has'], parts: readonly PackedFindings[]): Promise<Comparison> {
  const breath = createYield()
  const fingerprints = new Set<string>()
  const codes = new Set<string>()
  for (const batch of parts.flatMap((part) => part.batches)) {
    const turn = breath()
    if (turn) await turn
    batch.heads.fingerprint.forEach((fingerprint, place) => {
      if (!has(batch, place)) return
      const group = groupOf(fingerprint)
      if (group === undefined) fingerprints.add(fingerprint)
      else codes.add(`${group} ${codeOf(batch.heads.context[place]!)}`).add(`${group} *`)
    })
  }
  function hasRow({ fingerprint, context }: StoredFindingRow): boolean {
    const group = groupOf(fingerprint)
    if (group === undefined) return fingerprints.has(fingerprint)
    const code = codeOf(context)
    return codes.has(`${group} ${code}`) || codes.has(`${group} ${code === '' ? '*' : ''}`)
  }
  return { isKnown: true, raiseUnknown: true, has, hasRow }
}

/** That the code is in the fingerprint is not stored; it is so for all of a group. */
function codeOf(context: string): string {
  const { code } = readContext(context)
  return code === '=' ? '' : code
}
