import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../../kernel/database.ts'

/** In so many repositories of a deployment a package is widely used there. */
const widelyUsedRepositories = 5

/** Holds advisories that name all versions of what a deployment uses widely, there, until a person decides. */
export async function holdWidelyUsed(
  tx: WorkerQueryable,
  packages: { id: string; ecosystem: string; name: string }[],
): Promise<void> {
  if (packages.length === 0) return
  const held = await tx.query<{ deployment_id: number }>(sql`insert into firewall_held
      (deployment_id, advisory_id, ecosystem, name, repository_count)
    select package.deployment_id, given.id, given.ecosystem, given.name, count(distinct dependency.repository_id)
    from jsonb_to_recordset(${JSON.stringify(packages)}::jsonb) as given (id text, ecosystem text, name text)
    join package on package.name = given.name and package.ecosystem = given.ecosystem
    join package_version version on version.deployment_id = package.deployment_id and version.package_id = package.id
    join dependency on dependency.deployment_id = version.deployment_id and dependency.package_version_id = version.id
    group by package.deployment_id, given.id, given.ecosystem, given.name
    having count(distinct dependency.repository_id) >= ${widelyUsedRepositories}
    on conflict do nothing
    returning deployment_id`)
  await moveRules(
    tx,
    held.map((row) => row.deployment_id),
  )
}

/** What was taken back needs no decision any more. */
export async function dropHolds(tx: WorkerQueryable, advisoryIds: string[]): Promise<void> {
  if (advisoryIds.length === 0) return
  const dropped = await tx.query<{ deployment_id: number }>(sql`delete from firewall_held
    where state = 'held' and advisory_id = any(${advisoryIds}::text[])
      and not exists (select from advisory where advisory.id = firewall_held.advisory_id and advisory.live)
    returning deployment_id`)
  await moveRules(
    tx,
    dropped.map((row) => row.deployment_id),
  )
}

async function moveRules(tx: WorkerQueryable, deployments: number[]): Promise<void> {
  if (deployments.length === 0) return
  const ids = [...new Set(deployments)].sort((a, b) => a - b)
  await tx.query(sql`insert into firewall_deployment (deployment_id, rules) select unnest(${ids}::bigint[]), 1
    on conflict (deployment_id) do update set rules = firewall_deployment.rules + 1`)
}
