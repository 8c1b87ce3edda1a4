import sql from 'sql-template-tag'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { Queryable } from '../../kernel/database/database.ts'

export type AskedVersion = { name: string; version: string; firstAt: Date; lastAt: Date }

/** The versions that clients were given or refused since then, the latest first. */
export function versionsAskedFor(
  db: Queryable,
  { ecosystem, since, limit }: { ecosystem: EcosystemId; since: Date; limit: number },
): Promise<AskedVersion[]> {
  return db.query(sql`select artifact.name, artifact.version, asked.first_at as "firstAt", asked.last_at as "lastAt"
    from (select each.artifact_id, min(each.first_at) as first_at, max(each.last_at) as last_at from (
        select f.artifact_id, f.first_at, f.last_at from firewall_fetch f
        where f.deployment_id = ${db.deploymentId} and f.last_at >= ${since}
        union all
        select r.artifact_id, min(r.at), max(r.at) from firewall_refusal r
        where r.deployment_id = ${db.deploymentId} and r.at >= ${since} group by r.artifact_id) each
      group by each.artifact_id) asked
    cross join lateral (select a.name, a.version from firewall_artifact a where a.deployment_id = ${db.deploymentId}
      and a.id = asked.artifact_id and a.ecosystem = ${ecosystem} offset 0) artifact
    order by asked.last_at desc, artifact.name collate "C", artifact.version collate "C" limit ${limit}`)
}
