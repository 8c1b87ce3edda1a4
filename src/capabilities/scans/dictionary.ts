import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Transaction } from '../../kernel/database.ts'
import type { Batch, Licence } from './pack.ts'

/** The ids of a batch, each column one array in PostgreSQL's own notation: they only pass through. */
export type BatchIds = { packages: string; versions: string }

/** The ids of the packages and versions of a batch, which are made where they are not known yet. */
export async function identify(tx: Transaction, batch: Batch): Promise<BatchIds> {
  const known = await find(tx, batch)
  if (known) return known
  await add(tx, batch)
  const made = await find(tx, batch)
  if (!made) throw new Error('a package that was just added is not there')
  return made
}

// One look into an index for each row, whatever the planner thinks of the tables: they grow faster than its statistics.
async function find(tx: Transaction, batch: Batch): Promise<BatchIds | undefined> {
  const [row] = await tx.query<BatchIds & { complete: boolean }>(sql`
    select array_agg(found.package_id order by found.place)::text as packages,
      array_agg(found.version_id order by found.place)::text as versions,
      bool_and(found.version_id is not null) as complete
    from (
      select named.place, named.package_id,
        (select v.id from package_version v where v.deployment_id = ${tx.deploymentId} and v.version = named.version
          and v.package_id = named.package_id and v.order_key = named.order_key) as version_id
      from (
        select t.place, t.version, t.order_key, (select p.id from package p where p.deployment_id = ${tx.deploymentId}
          and p.name = t.name and p.ecosystem = t.ecosystem) as package_id
        from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.version}::text[],
          ${batch.orderKey}::bytea[]) with ordinality as t (ecosystem, name, version, order_key, place)
        offset 0
      ) named
      offset 0
    ) found`)
  return row!.complete ? row : undefined
}

/**
 * In one order everywhere, so that two uploads that bring the same new packages wait for each other at most, and never
 * in a circle.
 */
async function add(tx: Transaction, batch: Batch): Promise<void> {
  await tx.query(sql`insert into package (deployment_id, ecosystem, name, shown_name, search_text)
    select ${tx.deploymentId}::bigint, t.ecosystem, t.name, t.shown_name, t.search_text
    from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.shownName}::text[],
      ${batch.searchText}::text[]) as t (ecosystem, name, shown_name, search_text)
    where (select p.id from package p where p.deployment_id = ${tx.deploymentId}
      and p.name = t.name and p.ecosystem = t.ecosystem) is null
    order by t.name collate "C", t.ecosystem collate "C"
    on conflict do nothing`)
  // A key that differs from ours was made by another version of Gatehouse, with a mistake that is mended since.
  await tx.query(sql`insert into package_version (deployment_id, package_id, version, order_key)
    select distinct on (named.version, named.package_id)
      ${tx.deploymentId}::bigint, named.package_id, named.version, named.order_key
    from (
      select t.version, t.order_key, (select p.id from package p where p.deployment_id = ${tx.deploymentId}
        and p.name = t.name and p.ecosystem = t.ecosystem) as package_id
      from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.version}::text[],
        ${batch.orderKey}::bytea[]) as t (ecosystem, name, version, order_key)
      offset 0
    ) named
    where (select v.id from package_version v where v.deployment_id = ${tx.deploymentId} and v.version = named.version
      and v.package_id = named.package_id and v.order_key = named.order_key) is null
    order by named.version, named.package_id
    on conflict (deployment_id, version, package_id) do update set order_key = excluded.order_key`)
}

/** The ids of these licences, in their order. */
export async function identifyLicences(tx: Transaction, licences: readonly Licence[]): Promise<number[]> {
  if (licences.length === 0) return []
  const digests = licences.map(({ expression }) => createHash('sha256').update(expression).digest())
  const expressions = licences.map(({ expression }) => expression)
  // An array of arrays of different lengths is none in PostgreSQL; no SPDX id has a space.
  const ids = licences.map((licence) => licence.ids.join(' '))
  await tx.query(sql`insert into licence (deployment_id, expression, digest, spdx_ids)
    select ${tx.deploymentId}::bigint, t.expression, t.digest, string_to_array(t.ids, ' ')
    from unnest(${expressions}::text[], ${digests}::bytea[], ${ids}::text[]) as t (expression, digest, ids)
    where not exists (select from licence l where l.deployment_id = ${tx.deploymentId} and l.digest = t.digest)
    order by t.digest
    on conflict do nothing`)
  const rows = await tx.query<{ id: number }>(sql`select l.id
    from unnest(${digests}::bytea[]) with ordinality as t (digest, place)
    join licence l on l.deployment_id = ${tx.deploymentId} and l.digest = t.digest
    order by t.place`)
  return rows.map((row) => row.id)
}
