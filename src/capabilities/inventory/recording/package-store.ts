import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { ColumnBatch, Licence } from './column-batches.ts'

/** Writes dependencies of a file; packages and versions that are not known yet are made first. */
export async function insertWithPackages(tx: Transaction, place: DependencyOwner, batch: ColumnBatch): Promise<void> {
  const [, isWhole] = await Promise.all([addPackages(tx, batch), insertKnown(tx, place, batch)])
  if (!isWhole) throw new Error('a package that was just added is not there')
}

export type DependencyOwner = { repositoryId: number; lockfileId: number; licences: readonly number[] }

/**
 * Whether `v` is the version of that number that package `named` has. Rows are compared, from both sides, because that leaves one
 * index to go by even to a planner without statistics; the key in a way that none can serve. By the key alone a version would be
 * found among those of every package that has one of this number, and by its package among all versions of that.
 */
const isNamed = sql`(v.version, v.package_id) >= (named.version, named.package_id)
  and (v.version, v.package_id) <= (named.version, named.package_id) and (v.order_key = named.order_key) is true`

/**
 * Writes dependencies of a file: all of them or, where a version is not known, none. Answers whether it did. One look into an index
 * for each row, whatever the planner thinks of the tables: they grow faster than its statistics. In the order of the primary key, so
 * that most rows go where the last one went.
 */
export async function insertKnown(tx: Transaction, place: DependencyOwner, batch: ColumnBatch): Promise<boolean> {
  const [row] = await tx.query<{ complete: boolean }>(sql`
    with found as materialized (
      select named.*,
        (select v.id from package_version v where v.deployment_id = ${tx.deploymentId} and ${isNamed}) as version_id
      from (
        select t.*, (select p.id from package p where p.deployment_id = ${tx.deploymentId}
          and p.name = t.name and p.ecosystem = t.ecosystem) as package_id
        from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.version}::text[],
          ${batch.orderKey}::bytea[], ${batch.licence}::integer[], ${batch.ordinal}::integer[], ${batch.line}::integer[],
          ${batch.transitivity}::"char"[], ${batch.development}::boolean[], ${batch.resolved}::text[])
          as t (ecosystem, name, version, order_key, licence, ordinal, line, transitivity, development, resolved)
        offset 0
      ) named
      offset 0
    ), whole as materialized (
      select bool_and(version_id is not null) as complete from found
    ), inserted as (
      insert into dependency (deployment_id, repository_id, lockfile_id, package_id, package_version_id, licence_id,
        ordinal, line, transitivity, development, resolved)
      select ${tx.deploymentId}::bigint, ${place.repositoryId}::bigint, ${place.lockfileId}::bigint, package_id,
        version_id, (${place.licences}::bigint[])[licence], ordinal, line, transitivity, development, resolved
      from found where (select complete from whole)
      order by version_id, ordinal
      ${rowsNotCopied}
    )
    select complete from whole`)
  return row!.complete
}

/**
 * The packages and versions that are not known yet. In one order everywhere, so that two uploads that bring the same new packages wait for each other at most, and never
 * in a circle.
 */
export async function addPackages(tx: Transaction, batch: ColumnBatch): Promise<void> {
  const packages = tx.query(sql`insert into package (deployment_id, ecosystem, name, shown_name, search_text)
    select ${tx.deploymentId}::bigint, t.ecosystem, t.name, t.shown_name, t.search_text
    from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.shownName}::text[],
      ${batch.searchText}::text[]) as t (ecosystem, name, shown_name, search_text)
    where (select p.id from package p where p.deployment_id = ${tx.deploymentId}
      and p.name = t.name and p.ecosystem = t.ecosystem) is null
    order by t.name collate "C", t.ecosystem collate "C"
    on conflict do nothing`)
  // A key that differs from ours was made by another version of Gatehouse, with a mistake that is mended since.
  const versions = tx.query(sql`insert into package_version (deployment_id, package_id, version, order_key)
    select distinct on (named.version, named.package_id)
      ${tx.deploymentId}::bigint, named.package_id, named.version, named.order_key
    from (
      select t.version, t.order_key, (select p.id from package p where p.deployment_id = ${tx.deploymentId}
        and p.name = t.name and p.ecosystem = t.ecosystem) as package_id
      from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.version}::text[],
        ${batch.orderKey}::bytea[]) as t (ecosystem, name, version, order_key)
      offset 0
    ) named
    where (select v.id from package_version v where v.deployment_id = ${tx.deploymentId} and ${isNamed}) is null
    order by named.version, named.package_id
    on conflict (deployment_id, version, package_id) do update set order_key = excluded.order_key`)
  await Promise.all([packages, versions])
}

/** The ids of these licences, in their order. */
export async function identifyLicences(tx: Transaction, licences: readonly Licence[]): Promise<number[]> {
  if (licences.length === 0) return []
  const digests = licences.map(({ expression }) => createHash('sha256').update(expression).digest())
  const expressions = licences.map(({ expression }) => expression)
  // An array of arrays of different lengths is none in PostgreSQL; no SPDX id has a space.
  const ids = licences.map((licence) => licence.ids.join(' '))
  const added = tx.query(sql`insert into licence (deployment_id, expression, digest, spdx_ids)
    select ${tx.deploymentId}::bigint, t.expression, t.digest, string_to_array(t.ids, ' ')
    from unnest(${expressions}::text[], ${digests}::bytea[], ${ids}::text[]) as t (expression, digest, ids)
    where t.digest not in (select l.digest from licence l
      where l.deployment_id = ${tx.deploymentId} and l.digest = any(${digests}::bytea[]))
    order by t.digest
    on conflict do nothing`)
  const found = tx.query<{ id: number }>(sql`select l.id
    from unnest(${digests}::bytea[]) with ordinality as t (digest, place)
    join licence l on l.deployment_id = ${tx.deploymentId} and l.digest = t.digest
    order by t.place`)
  const [, rows] = await Promise.all([added, found])
  return rows.map((row) => row.id)
}
