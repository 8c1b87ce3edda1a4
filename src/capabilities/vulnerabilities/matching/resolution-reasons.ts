import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'

type Gone = { fingerprint: string; vulnerabilityIds: readonly string[] }
type AdvisoryStatus = { externalId: string; ids: string[]; live: boolean; withdrawnAt: Date | null }

/** Why advisories no longer say what findings were raised for, for their history; by fingerprint. */
export async function resolutionReasons(db: Queryable, gone: readonly Gone[]): Promise<Map<string, string>> {
  if (gone.length === 0) return new Map()
  const ids = [...new Set(gone.flatMap((one) => one.vulnerabilityIds))]
  const rows =
    await db.query<AdvisoryStatus>(sql`select external_id as "externalId", ids, live, withdrawn_at as "withdrawnAt"
    from vulnerability where ids && ${ids}::text[] order by external_id`)
  return new Map(
    gone.map(({ fingerprint, vulnerabilityIds }) => {
      const known = new Set(vulnerabilityIds)
      const records = rows.filter((row) => row.ids.some((id) => known.has(id)))
      return [fingerprint, reasonGone(vulnerabilityIds[0] ?? '', records)]
    }),
  )
}

function reasonGone(id: string, records: readonly AdvisoryStatus[]): string {
  const live = records.filter((record) => record.live)
  if (live.length > 0) return `${listed(live)} no longer names this version.`
  const withdrawn = records.filter((record) => record.withdrawnAt !== null)
  if (withdrawn.length > 0) {
    const [last] = withdrawn.map((record) => record.withdrawnAt!).sort((a, b) => b.getTime() - a.getTime())
    return `${listed(withdrawn)} was withdrawn on ${last!.toISOString().slice(0, 10)}.`
  }
  return `${records.length > 0 ? listed(records) : id} is no longer in the feed.`
}

function listed(records: readonly AdvisoryStatus[]): string {
  return [...new Set(records.map((record) => record.externalId))].join(', ')
}
