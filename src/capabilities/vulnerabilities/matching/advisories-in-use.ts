import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { packagesInUse } from '../../inventory/public.ts'
import { groupAliases } from '../feeds/aliases.ts'
import { describe, type PackageAdvisory, toAdvisory } from './package-audit.ts'

export type EcosystemAdvisory = PackageAdvisory & { ecosystem: EcosystemId }

type Pair = { id: number; name: string; ecosystem: EcosystemId }

/**
 * What advisories say about packages that the deployment has, in whatever version: those of the repository first, then the
 * worst. A look into an index for each package, whatever the planner believes about the tables.
 */
export async function advisoriesInUse(
  db: Queryable,
  repositoryId: number,
  limit: number,
): Promise<EcosystemAdvisory[]> {
  const pairs = await db.query<Pair>(sql`select r.vulnerability_id as id, used.name, used.ecosystem
    from ${packagesInUse(db.deploymentId, repositoryId)} used
    cross join lateral (select distinct r.vulnerability_id from vulnerability_range r
      where r.name = used.name and r.ecosystem = used.ecosystem and r.live offset 0) r
    cross join lateral (select v.severity from vulnerability v where v.id = r.vulnerability_id offset 0) v
    order by used.own desc, v.severity desc, r.vulnerability_id desc limit ${limit}`)
  if (pairs.length === 0) return []
  const records = await describe(db, [...new Set(pairs.map((pair) => pair.id))])
  const byId = new Map(records.map((record) => [record.id, record]))
  const packages = Map.groupBy(pairs, ({ ecosystem, name }) => `${ecosystem} ${name}`)
  return [...packages.values()].flatMap((some) => {
    const { ecosystem, name } = some[0]!
    const about = some.flatMap(({ id }) => byId.get(id) ?? [])
    return groupAliases(about).map((group) => ({ ...toAdvisory(ecosystems[ecosystem], name, group, []), ecosystem }))
  })
}
