import sql from 'sql-template-tag'
import { state } from '../../../domain/finding-codes.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type FindSuccessors, listVulnerabilityIds } from '../../findings/public.ts'
import type { VulnerabilityObservation } from './observations.ts'

/** A record that findings which are gone were raised for, in whatever feeds it is. */
type FormerRecord = { ids: readonly string[]; live: boolean; duplicateOf: string | undefined }

const hidingStates = new Set([state.code('ignored'), state.code('provisionally-ignored')])

/**
 * Findings are known by the oldest record about their vulnerability. Where that is withdrawn, or an older one comes in, the same
 * vulnerability has another name, and the finding takes it on: with what was decided about it, since when it is known, and its deadline.
 * Only in the same file and package, since those are in the name.
 */
export function successorsAmong(observed: readonly VulnerabilityObservation[]): FindSuccessors {
  return async (db, fresh, gone) => {
    const idsByFinding = await listVulnerabilityIds(
      db,
      gone.map((row) => row.id),
    )
    const standing = gone.map((row) => ({ ...row, ids: idsByFinding.get(row.id) ?? [] }))
    const records = await listRecords(db, new Set(standing.flatMap((row) => row.ids)))
    const formerBy = formerIds(standing, records)
    const byFingerprint = new Map(standing.map((row) => [row.fingerprint, row]))
    const found = new Map<string, string>()
    for (const one of observed) {
      if (!fresh.has(one.fingerprint)) continue
      const candidates = new Set(one.vulnerabilityIds.flatMap((id) => [id, ...(formerBy.get(id) ?? [])]))
      const same = [...candidates].flatMap((former) => {
        const row = byFingerprint.get(one.fingerprintBy(former))
        return row && isSame(row.ids, former, records.get(former), one.vulnerabilityIds) ? [row] : []
      })
      // Of several that are one now, rather one that hides nothing, and the one that is known for longest.
      const hides = (row: { state: number }) => Number(hidingStates.has(row.state))
      const [first] = same.sort((a, b) => hides(a) - hides(b) || a.id - b.id)
      if (!first) continue
      found.set(one.fingerprint, first.fingerprint)
      byFingerprint.delete(first.fingerprint)
    }
    return found
  }
}

/** The same, and before it: what is wrong in a file that lies elsewhere now goes along with it. */
export function successorsInMoved(
  observed: readonly VulnerabilityObservation[],
  movedFiles: ReadonlyMap<string, string> = new Map(),
): FindSuccessors {
  const otherwise = successorsAmong(observed)
  if (movedFiles.size === 0) return otherwise
  return async (tx, fresh, gone) => {
    const left = new Map(gone.map((row) => [row.fingerprint, row]))
    const found = new Map<string, string>()
    for (const one of observed) {
      const from = movedFiles.get(one.locations[0]!.path)
      if (from === undefined || !fresh.has(one.fingerprint)) continue
      const former = one.fingerprintAt(from)
      if (left.delete(former)) found.set(one.fingerprint, former)
    }
    const others = await otherwise(tx, new Set([...fresh].filter((name) => !found.has(name))), [...left.values()])
    return new Map([...others, ...found])
  }
}

/**
 * Whether a finding that was raised for the record `former`, when that was known as `ids`, is about the vulnerability that has these ids
 * `now`. What a record says today counts. Only one that is withdrawn may have lost the ids that say it, to the one that it is a
 * duplicate of.
 */
function isSame(ids: readonly string[], former: string, record: FormerRecord | undefined, now: readonly string[]) {
  const isNow = (id: string) => now.includes(id)
  if (isNow(former) || record?.ids.some(isNow)) return true
  if (record?.live) return false
  return record?.duplicateOf === undefined ? ids.some(isNow) : isNow(record.duplicateOf)
}

/** By an id that a vulnerability may have now: the records that it may have been known by. */
function formerIds(
  standing: readonly { ids: readonly string[] }[],
  records: ReadonlyMap<string, FormerRecord>,
): Map<string, Set<string>> {
  const former = new Map<string, Set<string>>()
  const add = (id: string, names: readonly string[]) => {
    const known = former.get(id) ?? new Set()
    for (const name of names) known.add(name)
    former.set(id, known)
  }
  for (const { ids } of standing) for (const id of ids) add(id, ids)
  for (const [name, { ids, duplicateOf }] of records) {
    for (const id of ids) add(id, [name])
    if (duplicateOf !== undefined) add(duplicateOf, [name])
  }
  return former
}

async function listRecords(db: Queryable, ids: ReadonlySet<string>): Promise<Map<string, FormerRecord>> {
  const rows = await db.query<{ externalId: string; ids: string[]; live: boolean; beginning: string }>(sql`
    select external_id as "externalId", ids, live, case when withdrawn_at is null then '' else left(details, 1000) end as beginning
    from vulnerability where ids && ${[...ids]}::text[]`)
  return new Map(
    [...Map.groupBy(rows, (row) => row.externalId)].map(([externalId, some]) => [
      externalId,
      {
        ids: some.flatMap((row) => row.ids),
        live: some.some((row) => row.live),
        duplicateOf: some.map((row) => duplicateNamed(row.beginning)).find((id) => id !== undefined),
      },
    ]),
  )
}

/** As GitHub writes it: "This advisory has been withdrawn because it is a duplicate of GHSA-….". OSV has no field for it. */
function duplicateNamed(details: string): string | undefined {
  return /\bduplicate of \[?(?:https:\/\/github\.com\/advisories\/)?([A-Z]+-[A-Za-z0-9-]+)/.exec(details)?.[1]
}
