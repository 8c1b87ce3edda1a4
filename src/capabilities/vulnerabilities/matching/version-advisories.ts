import sql, { type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import { exploitedAmong } from '../exploited/exploited-store.ts'
import { groupAliases, idsOf } from '../feeds/aliases.ts'
import { severityName } from '../feeds/codes.ts'
import { describe, type Told, within } from './match-store.ts'
import { leadOf } from './observations.ts'

/** The worst severity that advisories give a version, as a scalar of SQL; null where none names it. */
export function severityOfVersion(name: Sql, ecosystem: Sql, orderKey: Sql): Sql {
  return sql`(select max(record.severity) from vulnerability_range r join vulnerability record on record.id = r.vulnerability_id
    where r.name = ${name} and r.ecosystem = ${ecosystem} and r.live and ${within(orderKey)})`
}

export type PackageVulnerability = {
  /** The id it is best known by. */
  id: string
  title: string
  severity: string
  /** A list of known exploited vulnerabilities has it. */
  exploited: boolean
  /** Of the versions that were asked about, those that it names. */
  versions: string[]
  fixedVersions: string[]
}

type Version = { version: string; orderKey: Buffer }

/** What advisories say about these versions of a package, the most severe first. */
export async function vulnerabilitiesOf(
  db: Queryable,
  { ecosystem, name }: { ecosystem: string; name: string },
  versions: readonly Version[],
): Promise<PackageVulnerability[]> {
  const named = versions.filter(({ version }) => version !== '')
  const hits = await db.query<{ version: string; id: number; fixed: string }>(sql`
    select given.version, r.vulnerability_id as id, r.fixed
    from unnest(${named.map((each) => each.version)}::text[], ${named.map((each) => each.orderKey)}::bytea[])
      as given (version, key)
    join vulnerability_range r on r.name = ${name} and r.ecosystem = ${ecosystem} and r.live and ${within(sql`given.key`)}`)
  const records = await describe(db, [...new Set(hits.map((hit) => hit.id))])
  const groups = groupAliases([...records.values()]).map((group) => {
    const own = hits.filter((hit) => group.some((record) => record.id === hit.id))
    const lead = leadOf(group)
    const said = new Set(own.map((hit) => hit.version))
    return {
      id: idsOf(group)[0]!,
      title: lead.summary,
      code: lead.severity,
      versions: named.filter(({ version }) => said.has(version)).map(({ version }) => version),
      fixedVersions: [...new Set(own.map((hit) => hit.fixed).filter(Boolean))],
    }
  })
  groups.sort(byGravity)
  const exploited = await exploitedAmong(
    db,
    groups.map(({ id }) => id),
  )
  return groups.map(({ code, ...each }) => ({
    ...each,
    severity: severityName(code),
    exploited: exploited.has(each.id),
  }))
}

export type VersionInUse = { ecosystem: string; name: string; orderKey: Buffer }

/** The ids of what advisories say about versions of many packages, by package: for each the gravest first. */
export async function vulnerabilityIdsByPackage<P extends VersionInUse>(
  db: Queryable,
  versions: readonly P[],
  keyOf: (version: P) => string,
): Promise<Map<string, string[]>> {
  const hits = await db.query<{ at: number; id: number }>(sql`
    select given.at::int as at, r.vulnerability_id as id
    from unnest(${versions.map((each) => each.ecosystem)}::text[], ${versions.map((each) => each.name)}::text[],
      ${versions.map((each) => each.orderKey)}::bytea[]) with ordinality as given (ecosystem, name, key, at)
    join lateral (select r.vulnerability_id from vulnerability_range r
      where r.name = given.name and r.ecosystem = given.ecosystem and r.live and ${within(sql`given.key`)} offset 0) r on true`)
  if (hits.length === 0) return new Map()
  const records = await describe(db, [...new Set(hits.map((hit) => hit.id))])
  const byPackage = Map.groupBy(hits, (hit) => keyOf(versions[hit.at - 1]!))
  return new Map(
    [...byPackage].map(([key, own]) => [key, gravestFirst([...new Set(own.map(({ id }) => records.get(id)!))])]),
  )
}

function gravestFirst(records: readonly Told[]): string[] {
  const groups = groupAliases(records).map((group) => ({ id: idsOf(group)[0]!, code: leadOf(group).severity }))
  return groups.sort(byGravity).map(({ id }) => id)
}

function byGravity(a: { code: number; id: string }, b: { code: number; id: string }): number {
  return b.code - a.code || (a.id < b.id ? -1 : 1)
}
