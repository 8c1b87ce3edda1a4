import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { PackageCriteria } from '../search/conditions.ts'
import { versionsWanted } from '../search/sql-conditions.ts'

/**
 * The files with a graph that have one of these packages, and the numbers of its entries. A file's id stands for its content,
 * so what is read of it in several steps fits together.
 */
export function filesWith(
  db: Queryable,
  repositoryId: number,
  criteria: PackageCriteria,
  { lockfilePath, limit }: { lockfilePath: string | undefined; limit: number },
): Promise<{ id: number; targets: number[] }[]> {
  const inFile = lockfilePath ? sql`and l.path = ${lockfilePath}` : empty
  return db.query(sql`select l.id, array_agg(d.ordinal) as targets from lockfile l
    join dependency d on d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id
    where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} and l.has_graph ${inFile}
      and d.repository_id = ${repositoryId}
      and d.package_version_id = any(array(${versionsWanted(db.deploymentId, criteria)}))
    group by l.id, l.path order by l.path limit ${limit}`)
}

export async function readGraph(db: Queryable, repositoryId: number, id: number) {
  const [file] = await db.query<{ path: string; graph: Buffer; directs: number[] }>(sql`select l.path, l.graph,
      array(select d.ordinal from dependency d where d.deployment_id = l.deployment_id
        and d.repository_id = l.repository_id and d.lockfile_id = l.id and d.transitivity = 'D') as directs
    from lockfile l where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} and l.id = ${id}`)
  return file
}

export type DescribedEntry = { ecosystem: string; name: string; version: string; line: number }

/** What is shown of these entries of a file, by their numbers. */
export async function describeEntries(
  db: Queryable,
  repositoryId: number,
  lockfileId: number,
  ordinals: ReadonlySet<number>,
): Promise<Map<number, DescribedEntry>> {
  const rows = await db.query<DescribedEntry & { ordinal: number }>(sql`
    select d.ordinal, p.ecosystem, p.shown_name as name, v.version, d.line from dependency d
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    where d.deployment_id = ${db.deploymentId} and d.repository_id = ${repositoryId} and d.lockfile_id = ${lockfileId}
      and d.ordinal = any(${[...ordinals]}::integer[])`)
  return new Map(rows.map(({ ordinal, ...step }) => [ordinal, step]))
}
