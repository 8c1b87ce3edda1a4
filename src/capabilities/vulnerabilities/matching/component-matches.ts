import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Rating } from '../../../formats/cvss/score.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { groupAliases, idsOf } from '../feeds/aliases.ts'
import { severityWord } from '../feeds/codes.ts'
import { type Hit, hitsInInventory, hitsInVersion, type Told } from './match-store.ts'
import { leadOf } from './observations.ts'

/** A vulnerability of one version of a package, as advisories tell it today. */
export type ComponentMatch = {
  ecosystem: EcosystemId
  name: string
  version: string
  /** The id it is best known by first. */
  ids: string[]
  title: string
  details: string
  severity: Rating
  score: number
  vector: string
  cwes: string[]
  links: string[]
  /** '' where none is known. */
  fixedVersion: string
  publishedAt: Date
}

type Described = Told & { vector: string; links: string[]; details: string }

/** What advisories say about what a repository has: its inventory, or the bill of one of its other versions. */
export async function matchComponents(
  db: Queryable,
  { repositoryId, version }: { repositoryId: number; version: string | undefined },
): Promise<ComponentMatch[]> {
  const hits =
    version === undefined ? await hitsInInventory(db, repositoryId) : await hitsInVersion(db, repositoryId, version)
  if (hits.length === 0) return []
  const records = await describeWhole(db, [...new Set(hits.map((hit) => hit.vulnerabilityId))])
  const components = Map.groupBy(hits, ({ ecosystem, name, version: v }) => JSON.stringify([ecosystem, name, v]))
  return [...components.values()].flatMap((own) => {
    const said = new Set(own.map((hit) => hit.vulnerabilityId))
    return groupAliases(records.filter(({ id }) => said.has(id))).map((group) => toMatch(own, group))
  })
}

function toMatch(hits: readonly Hit[], group: readonly Described[]): ComponentMatch {
  const [first] = hits as [Hit, ...Hit[]]
  const lead = group.find(({ id }) => id === leadOf(group).id)!
  const said = new Set(group.map(({ id }) => id))
  const fixed = hits.filter((hit) => said.has(hit.vulnerabilityId) && hit.fixed !== '').map((hit) => hit.fixed)
  return {
    ecosystem: first.ecosystem as EcosystemId,
    name: first.shownName,
    version: first.version,
    ids: idsOf(group),
    title: lead.summary,
    details: lead.details,
    severity: severityWord(lead.severity),
    score: lead.score,
    vector: lead.vector,
    cwes: [...new Set(group.flatMap(({ cwes }) => cwes))],
    links: lead.links,
    fixedVersion: [...new Set(fixed)].join(' or '),
    publishedAt: lead.publishedAt,
  }
}

function describeWhole(db: Queryable, ids: readonly number[]): Promise<Described[]> {
  return db.query(sql`select id, external_id as "externalId", ids, severity, severity_source as "severitySource", score,
      summary, left(details, 4000) as details, cwes, published_at as "publishedAt", vector, links
    from vulnerability where id = any(${ids}::bigint[]) order by id`)
}
