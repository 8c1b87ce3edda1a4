import sql from 'sql-template-tag'
import type { KeyInterval } from '../../../ecosystems/version-range.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { joinDependencies, joinPackages, joinVersions } from '../../inventory/public.ts'
import { isExploited } from '../exploited/exploited-store.ts'
import { severityCode, severityWord } from '../feeds/codes.ts'
import { within } from './match-store.ts'

type PackageRange = {
  id: string
  severity: string
  fixed: string
  interval: KeyInterval
  isExploited: boolean
  isUrgent: boolean
}

type Row = {
  id: string
  severity: number
  fixed: string
  lower: Buffer | null
  upper: Buffer | null
  upperInclusive: boolean
  isExploited: boolean
  isUrgent: boolean
}

/**
 * Which versions of a package advisories name; `isUrgent` where that is grave or known to be exploited, and repositories of the
 * deployment have one of them.
 */
export async function rangesOfPackage(db: Queryable, ecosystem: string, name: string): Promise<PackageRange[]> {
  const deployment = sql`${db.deploymentId}`
  const rows = await db.query<Row>(sql`select record.external_id as id, record.severity, r.fixed, r.lower, r.upper,
      r.upper_inclusive as "upperInclusive", ${isExploited(sql`record.ids`)} as "isExploited",
      (record.severity >= ${severityCode('high')} or ${isExploited(sql`record.ids`)}) and exists (
        select from (select r.name, r.ecosystem) named ${joinPackages(deployment, sql`named`)}
        ${joinVersions(deployment, within)} ${joinDependencies(deployment)}) as "isUrgent"
    from vulnerability_range r join vulnerability record on record.id = r.vulnerability_id
    where r.name = ${name} and r.ecosystem = ${ecosystem} and r.live
    order by record.severity desc, record.external_id`)
  return rows.map(({ id, severity, fixed, lower, upper, upperInclusive, isExploited: exploited, isUrgent }) => ({
    id,
    severity: severityWord(severity),
    fixed,
    interval: {
      ...(lower && { lower: { key: lower, inclusive: true } }),
      ...(upper && { upper: { key: upper, inclusive: upperInclusive } }),
    },
    isExploited: exploited,
    isUrgent,
  }))
}
