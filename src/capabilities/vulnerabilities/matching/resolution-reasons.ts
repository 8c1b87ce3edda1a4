import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { VulnerabilityObservation } from './observations.ts'

type Gone = { fingerprint: string; vulnerabilityIds: readonly string[] }
type AdvisoryStatus = { externalId: string; ids: string[]; live: boolean; withdrawnAt: Date | null }

/** Why advisories, which say `observed` now, no longer say what findings were raised for, for their history; by fingerprint. */
export async function resolutionReasons(
  db: Queryable,
  gone: readonly Gone[],
  observed: readonly VulnerabilityObservation[],
): Promise<Map<string, string>> {
  if (gone.length === 0) return new Map()
  const ids = [...new Set(gone.flatMap((one) => one.vulnerabilityIds))]
  const rows =
    await db.query<AdvisoryStatus>(sql`select external_id as "externalId", ids, live, withdrawn_at as "withdrawnAt"
    from vulnerability where ids && ${ids}::text[] order by external_id`)
  const ruleOf = rulesByFormerName(observed, new Set(ids))
  return new Map(
    gone.map(({ fingerprint, vulnerabilityIds }) => {
      const known = new Set(vulnerabilityIds)
      const records = rows.filter((row) => row.ids.some((id) => known.has(id)))
      return [fingerprint, reasonGone(vulnerabilityIds[0] ?? '', records, ruleOf.get(fingerprint))]
    }),
  )
}

/** Of what is observed, by what it would be known by if one of its ids that findings were raised for was that of a vulnerability of its own. */
function rulesByFormerName(
  observed: readonly VulnerabilityObservation[],
  formerIds: ReadonlySet<string>,
): Map<string, string> {
  return new Map(
    observed.flatMap(({ vulnerabilityIds, fingerprintBy, ruleId }) =>
      vulnerabilityIds.filter((id) => formerIds.has(id)).map((id): [string, string] => [fingerprintBy(id), ruleId]),
    ),
  )
}

function reasonGone(id: string, records: readonly AdvisoryStatus[], rule: string | undefined): string {
  const live = records.filter((record) => record.live)
  if (live.length > 0 && rule) return `It is the same as ${rule} by now, which has another finding.`
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
