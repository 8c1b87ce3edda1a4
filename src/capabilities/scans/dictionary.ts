import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Transaction } from '../../kernel/database.ts'
import type { Batch, Licence } from './pack.ts'

/**
 * Packages and versions that are not known yet. In one order everywhere, so that two uploads that bring the same new
 * packages wait for each other at most, and never in a circle.
 */
export async function addPackages(tx: Transaction, batch: Batch): Promise<void> {
  await tx.query(sql`insert into package (deployment_id, ecosystem, name, shown_name, search_text)
    select ${tx.deploymentId}::bigint, t.ecosystem, t.name, t.shown_name, t.search_text
    from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.shownName}::text[],
      ${batch.searchText}::text[]) as t (ecosystem, name, shown_name, search_text)
    where not exists (select from package p
      where p.deployment_id = ${tx.deploymentId} and p.name = t.name and p.ecosystem = t.ecosystem)
    order by t.name collate "C", t.ecosystem collate "C"
    on conflict do nothing`)
  await tx.query(sql`insert into package_version (deployment_id, package_id, version, order_key)
    select ${tx.deploymentId}::bigint, p.id, t.version, t.order_key
    from unnest(${batch.ecosystem}::text[], ${batch.name}::text[], ${batch.version}::text[],
      ${batch.orderKey}::bytea[]) as t (ecosystem, name, version, order_key)
    join package p on p.deployment_id = ${tx.deploymentId} and p.name = t.name and p.ecosystem = t.ecosystem
    where not exists (select from package_version v
      where v.deployment_id = ${tx.deploymentId} and v.version = t.version and v.package_id = p.id)
    order by t.version collate "C", p.id
    on conflict do nothing`)
}

/** The ids of these licences, in their order. */
export async function addLicences(tx: Transaction, licences: readonly Licence[]): Promise<number[]> {
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
