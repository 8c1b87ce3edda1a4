import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import { within } from './match-store.ts'

/** Deployments that have not looked at all changes yet, and the revision to look at. */
export function listBehind(db: WorkerQueryable): Promise<{ id: number; revision: number }[]> {
  return db.query(sql`select deployment.id, state.revision from vulnerability_state state cross join deployment
    left join vulnerability_deployment done on done.deployment_id = deployment.id
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

export type PackageName = { name: string; ecosystem: string }

/** The packages that a change is about; undefined where they are more than that. */
export async function listChanged(db: Queryable, after: number, most: number): Promise<PackageName[] | undefined> {
  const rows = await db.query<PackageName>(sql`select name, ecosystem from vulnerability_range
    where revision > ${after} limit ${most + 1}`)
  if (rows.length > most) return undefined
  return [...new Map(rows.map((row) => [`${row.ecosystem} ${row.name}`, row])).values()]
}

export async function listPackageIds(db: Queryable, after: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select id from package
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

/** Repositories that have a version of these packages, given by name or by id, that a range names which came or went since. */
export async function listRepositories(
  db: Queryable,
  packages: readonly PackageName[] | readonly number[],
  after: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select distinct d.repository_id as id
    from (${chosen(db, packages)} offset 0) p
    join vulnerability_range r on r.name = p.name and r.ecosystem = p.ecosystem and r.revision > ${after}
    join package_version v on v.deployment_id = ${db.deploymentId} and v.package_id = p.id and v.version <> ''
      and ${within(sql`v.order_key`)}
    join dependency d on d.deployment_id = ${db.deploymentId} and d.package_version_id = v.id`)
  return rows.map((row) => row.id)
}

function chosen(db: Queryable, packages: readonly PackageName[] | readonly number[]): Sql {
  if (isIds(packages)) {
    return sql`select p.id, p.name, p.ecosystem from package p
      where p.deployment_id = ${db.deploymentId} and p.id = any(${packages}::bigint[])`
  }
  return sql`select p.id, p.name, p.ecosystem from unnest(${packages.map((one) => one.name)}::text[],
      ${packages.map((one) => one.ecosystem)}::text[]) as given (name, ecosystem)
    join package p on p.deployment_id = ${db.deploymentId} and p.name = given.name and p.ecosystem = given.ecosystem`
}

function isIds(packages: readonly PackageName[] | readonly number[]): packages is readonly number[] {
  return typeof packages[0] === 'number'
}
