import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import { joinDependencies, joinPackages, joinVersions } from '../../inventory/public.ts'
import type { WholePackage } from '../advisories/advisory-row.ts'
import { snapshotDays } from '../advisories/snapshot-store.ts'

/**
 * With so many voices a package is widely used in a deployment. Each repository that an owner or admin uploads is one; a member
 * is one, however many repositories they upload.
 */
const widelyUsed = 5

/** Inventories of one person alone prove nothing, unless that person decides about advisories anyway. */
const independentPeople = 2

/**
 * Holds advisories that name all versions of what a deployment uses widely, there, for the versions that it has had for a while,
 * until a person decides. What counts are snapshots that the server took before the advisory was published, at least a week ago,
 * and that the inventory of today confirms: a repository that somebody made for it, or a version that came in since, does not.
 */
export async function reviewWidelyUsed(tx: WorkerQueryable, packages: WholePackage[], now: Date): Promise<void> {
  if (packages.length === 0) return
  const latest = new Date(now.getTime() - snapshotDays * 86_400_000)
  const held = await tx.query<{ deployment_id: number }>(sql`with used as materialized (
      select distinct p.deployment_id, given.id, given.published, given.ecosystem, given.name, v.version,
        v.id as version_id, d.repository_id
      from jsonb_to_recordset(${JSON.stringify(packages)}::jsonb)
        as given (id text, published timestamptz, ecosystem text, name text)
      ${joinPackages(undefined, sql`given`)}
      ${joinVersions(sql`p.deployment_id`)} ${joinDependencies(sql`v.deployment_id`)}
    ), proven as materialized (
      select used.deployment_id, used.id, used.ecosystem, used.name, used.version, used.repository_id, snapshot.person_id,
        snapshot.trusted
      from used
      join inventory_snapshot snapshot on snapshot.deployment_id = used.deployment_id
        and snapshot.repository_id = used.repository_id
        and snapshot.taken_at <= ${latest} and snapshot.taken_at < used.published
        and used.version_id = any(snapshot.version_ids)
    ), independent as (
      select deployment_id, id, ecosystem, name, version from proven
      group by deployment_id, id, ecosystem, name, version
      having bool_or(trusted) or count(distinct person_id) >= ${independentPeople}
    )
    insert into firewall_held (deployment_id, advisory_id, ecosystem, name, repository_count, versions)
    select deployment_id, id, ecosystem, name, count(distinct proven.repository_id), array_agg(distinct version)
    from proven join independent using (deployment_id, id, ecosystem, name, version)
    group by deployment_id, id, ecosystem, name
    having count(distinct proven.repository_id) filter (where trusted)
      + count(distinct proven.person_id) filter (where not trusted) >= ${widelyUsed}
    on conflict do nothing
    returning deployment_id`)
  await moveConfiguration(
    tx,
    held.map((row) => row.deployment_id),
  )
}

/** What was taken back needs no decision any more. */
export async function endReviews(tx: WorkerQueryable, advisoryIds: string[]): Promise<void> {
  if (advisoryIds.length === 0) return
  const dropped = await tx.query<{ deployment_id: number }>(sql`delete from firewall_held
    where state = 'held' and advisory_id = any(${advisoryIds}::text[])
      and not exists (select 1 from advisory where advisory.id = firewall_held.advisory_id and advisory.live)
    returning deployment_id`)
  await moveConfiguration(
    tx,
    dropped.map((row) => row.deployment_id),
  )
}

async function moveConfiguration(tx: WorkerQueryable, deployments: number[]): Promise<void> {
  if (deployments.length === 0) return
  const ids = [...new Set(deployments)].sort((a, b) => a - b)
  await tx.query(sql`insert into firewall_deployment (deployment_id, rules) select unnest(${ids}::bigint[]), 1
    on conflict (deployment_id) do update set rules = firewall_deployment.rules + 1`)
}
