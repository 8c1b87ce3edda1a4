import sql from 'sql-template-tag'
import type { Queryable, Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import { chosenPackages, joinDependencies, joinVersions, type PackageName } from '../../inventory/public.ts'
import { within } from './match-store.ts'

/** Deployments that have not looked at all changes yet, and the revision to look at. */
export function listBehind(db: WorkerQueryable): Promise<{ id: number; revision: number }[]> {
  return db.query(sql`with done as materialized (select deployment_id, revision from vulnerability_deployment)
    select deployment.id, state.revision from vulnerability_state state cross join deployment
    left join done on done.deployment_id = deployment.id
    where coalesce(done.revision, 0) < state.revision order by deployment.id`)
}

export async function findRevision(db: Queryable): Promise<number> {
  const [row] = await db.query<{ revision: number }>(
    sql`select revision from vulnerability_deployment where deployment_id = ${db.deploymentId}`,
  )
  return row?.revision ?? 0
}

export async function noteRevision(tx: Transaction, revision: number): Promise<void> {
  await tx.query(sql`insert into vulnerability_deployment as done (deployment_id, revision)
    values (${tx.deploymentId}, ${revision})
    on conflict (deployment_id) do update set revision = greatest(done.revision, excluded.revision)`)
}

/** The packages that a change is about; undefined where they are more than that. */
export async function listChanged(db: Queryable, after: number, most: number): Promise<PackageName[] | undefined> {
  const rows = await db.query<PackageName>(sql`select name, ecosystem from vulnerability_range
    where revision > ${after} limit ${most + 1}`)
  if (rows.length > most) return undefined
  return [...new Map(rows.map((row) => [`${row.ecosystem} ${row.name}`, row])).values()]
}

/** Repositories that have a version of these packages, given by name or by id, that a range names which came or went since. */
export async function listRepositories(
  db: Queryable,
  packages: readonly PackageName[] | readonly number[],
  after: number,
): Promise<number[]> {
  const deployment = sql`${db.deploymentId}`
  const rows = await db.query<{ id: number }>(sql`select distinct d.repository_id as id
    from (${chosenPackages(db.deploymentId, packages)} offset 0) p
    join vulnerability_range r on r.name = p.name and r.ecosystem = p.ecosystem and r.revision > ${after}
    ${joinVersions(deployment, within)} ${joinDependencies(deployment)}`)
  return rows.map((row) => row.id)
}
