import pg from 'pg'
import { ecosystems } from '../src/ecosystems/registry.ts'
import type { TestGatehouse } from './gatehouse.ts'

/** One dependency on an npm package, for data that is too much to upload. */
export type Row = { repository: number; name: string; version: string; licence: string; transitivity: 'D' | 'T' | 'U' }

/**
 * Writes repositories `many-<n>` for n from 0 with these dependencies as the database holds them; every tenth is archived.
 * Returns their ids.
 */
export async function writeDependencies(
  gatehouse: TestGatehouse,
  repositories: number,
  rows: readonly Row[],
): Promise<number[]> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    const { deploymentId } = gatehouse.owner
    const column = (key: keyof Row) => rows.map((row) => row[key])
    const keys = rows.map((row) => Buffer.from(ecosystems.npm.orderKey(row.version)))
    await client.query(
      `insert into repository (deployment_id, name, default_branch, archived)
       select $1, 'many-' || n, 'main', n % 10 = 9 from generate_series(0, $2::int - 1) n order by n`,
      [deploymentId, repositories],
    )
    await client.query(
      `insert into lockfile (deployment_id, repository_id, path, format, bytes, digest, scan_id, dependency_count, problems,
         problem_count, has_graph, graph)
       select $1, id, 'package-lock.json', 'package-lock', 1, '', 1, 0, '[]', 0, true, '' from repository
       where deployment_id = $1`,
      [deploymentId],
    )
    await client.query(
      `insert into package (deployment_id, ecosystem, name, shown_name, search_text)
       select distinct $1::bigint, 'npm', name, name, name from unnest($2::text[]) name`,
      [deploymentId, column('name')],
    )
    await client.query(
      `insert into package_version (deployment_id, package_id, version, order_key)
       select distinct p.deployment_id, p.id, t.version, t.order_key
       from unnest($2::text[], $3::text[], $4::bytea[]) t (name, version, order_key)
       join package p on p.deployment_id = $1 and p.name = t.name`,
      [deploymentId, column('name'), column('version'), keys],
    )
    await client.query(
      `insert into licence (deployment_id, expression, digest, spdx_ids)
       select distinct $1::bigint, licence, sha256(licence::bytea), array[licence] from unnest($2::text[]) licence`,
      [deploymentId, column('licence')],
    )
    // Without it the next statement is planned as if the tables that it joins were empty, and compares every row with every other.
    await client.query('analyze repository, lockfile, package, package_version, licence')
    await client.query(
      `insert into dependency
       select $1::bigint, r.id, l.id, p.id, v.id, licence.id, row_number() over (partition by r.id), 1, t.transitivity, false, ''
       from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::"char"[])
         t (repository, name, version, licence, transitivity)
       join repository r on r.deployment_id = $1 and r.name = 'many-' || t.repository
       join lockfile l on l.deployment_id = $1 and l.repository_id = r.id
       join package p on p.deployment_id = $1 and p.name = t.name
       join package_version v on v.deployment_id = $1 and v.package_id = p.id and v.version = t.version
       join licence on licence.deployment_id = $1 and licence.expression = t.licence`,
      [
        deploymentId,
        column('repository'),
        column('name'),
        column('version'),
        column('licence'),
        column('transitivity'),
      ],
    )
    await client.query(
      `insert into inventory (deployment_id, repository_id, scan_id, lockfile_count, dependency_count, has_graph)
      select $1, r.id, 1, 1, (select count(*) from dependency d
        where d.deployment_id = $1 and d.repository_id = r.id), true from repository r where r.deployment_id = $1`,
      [deploymentId],
    )
    // As the database itself does within a minute of so many new rows.
    await client.query('analyze')
    const { rows: made } = await client.query(`select id::int from repository order by id`)
    return made.map((row) => row.id)
  } finally {
    await client.end()
  }
}
