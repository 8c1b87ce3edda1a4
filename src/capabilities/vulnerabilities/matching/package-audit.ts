import sql from 'sql-template-tag'
import type { Ecosystem } from '../../../ecosystems/ecosystem.ts'
import type { OsvRange } from '../../../ecosystems/version-range.ts'
import type { Rating } from '../../../formats/cvss/score.ts'
import type { OsvPackage } from '../../../formats/osv/record.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { groupAliases, idsOf } from '../feeds/aliases.ts'
import { severityWord } from '../feeds/codes.ts'
import { type Told, within } from './match-store.ts'
import { leadOf } from './observations.ts'

export type InstalledVersion = { name: string; version: string }

/** What advisories say about a package, for the audits of package managers. */
export type PackageAdvisory = {
  /** The id it is best known by first. */
  ids: string[]
  name: string
  title: string
  severity: Rating
  score: number
  vector: string
  cwes: string[]
  links: string[]
  ranges: OsvRange[]
  /** Versions that are named one by one. */
  listed: string[]
  /** Of the versions that were asked about, those that it names. */
  versions: string[]
}

type Hit = { name: string; version: string; id: number }
export type Described = Told & { vector: string; links: string[]; packages: OsvPackage[] }

/** Whether advisories about packages of this kind are known at all: without any, nobody can say that there are none. */
export async function knowsEcosystem(db: Queryable, { id }: Ecosystem): Promise<boolean> {
  const rows = await db.query(sql`select from vulnerability_range where ecosystem = ${id} and live limit 1`)
  return rows.length > 0
}

/** What advisories say about these versions of packages; each advisory once for each package. */
export async function auditPackages(
  db: Queryable,
  ecosystem: Ecosystem,
  installed: readonly InstalledVersion[],
): Promise<PackageAdvisory[]> {
  const given = installed.filter(({ version }) => version !== '')
  const hits = await db.query<Hit>(sql`select given.name, given.version, r.vulnerability_id as id
    from unnest(${given.map((each) => ecosystem.normalizeName(each.name))}::text[],
      ${given.map((each) => each.version)}::text[],
      ${given.map((each) => Buffer.from(ecosystem.orderKey(each.version)))}::bytea[]) as given (name, version, key)
    join lateral (select r.vulnerability_id from vulnerability_range r
      where r.name = given.name and r.ecosystem = ${ecosystem.id} and r.live and ${within(sql`given.key`)} offset 0) r on true`)
  if (hits.length === 0) return []
  const records = await describe(db, [...new Set(hits.map((hit) => hit.id))])
  return [...Map.groupBy(hits, (hit) => hit.name)].flatMap(([name, own]) => {
    const ids = new Set(own.map((hit) => hit.id))
    const groups = groupAliases(records.filter(({ id }) => ids.has(id)))
    return groups.map((group) => toAdvisory(ecosystem, name, group, own))
  })
}

export function toAdvisory(
  ecosystem: Ecosystem,
  name: string,
  group: readonly Described[],
  hits: readonly Hit[],
): PackageAdvisory {
  const lead = group.find(({ id }) => id === leadOf(group).id)!
  const said = new Set(group.map(({ id }) => id))
  const about = group
    .flatMap(({ packages }) => packages)
    .filter((each) => each.ecosystem === ecosystem.id && each.name === name)
  return {
    ids: idsOf(group),
    name,
    title: lead.summary,
    severity: severityWord(lead.severity),
    score: lead.score,
    vector: lead.vector,
    cwes: lead.cwes,
    links: lead.links,
    ranges: about.flatMap(({ ranges }) => ranges),
    listed: [...new Set(about.flatMap(({ versions }) => versions))],
    versions: [...new Set(hits.filter(({ id }) => said.has(id)).map(({ version }) => version))],
  }
}

export function describe(db: Queryable, ids: readonly number[]): Promise<Described[]> {
  return db.query(sql`select id, external_id as "externalId", ids, severity, severity_source as "severitySource", score,
      summary, cwes, published_at as "publishedAt", vector, links, packages
    from vulnerability where id = any(${ids}::bigint[]) order by id`)
}
