import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'
import { groupBatches } from './packed-files.ts'
import type { PackedInventory } from './recording/column-batches.ts'

type VersionBill = {
  repositoryId: number
  version: string
  source: string
  scanId: number
  isLatest: boolean
}

/** More than a team keeps an eye on; whoever names each build has old ones fall away. */
const mostVersions = 500

/** Keeps the bill of a version in place of the one before, and of all its repository has the newest. */
export async function keepVersionBill(
  tx: Transaction,
  bill: VersionBill,
  files: readonly { path: string; packed: PackedInventory }[],
): Promise<void> {
  const { repositoryId, version, source, scanId, isLatest } = bill
  const count = files.reduce((sum, { packed }) => sum + packed.count, 0)
  // They run in the order in which they are sent.
  const sent: Promise<unknown>[] = isLatest ? [forgetLatest(tx, repositoryId)] : []
  const send = (statement: Sql) => sent.push(tx.query(statement))
  send(sql`delete from version_bill
    where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId} and version = ${version}`)
  send(sql`insert into version_bill (deployment_id, repository_id, version, source, scan_id, is_latest,
      component_count)
    values (${tx.deploymentId}, ${repositoryId}, ${version}, ${source}, ${scanId}, ${isLatest}, ${count})`)
  const batches = files.flatMap(({ path, packed }) => packed.batches.map((batch) => ({ path, batch })))
  const parts = batches.map((one, part) => ({ ...one, part }))
  for (const [at, some] of groupBatches(parts).entries()) {
    if (at > 0) await Promise.all(sent.splice(0))
    for (const { part, path, batch } of some) {
      send(sql`insert into version_bill_part (deployment_id, repository_id, version, part, path, ecosystem,
          name, shown_name, component_version, order_key, ordinal, line, transitivity, resolved)
        values (${tx.deploymentId}, ${repositoryId}, ${version}, ${part}, ${path}, ${batch.ecosystem}::text[],
          ${batch.name}::text[], ${batch.shownName}::text[], ${batch.version}::text[], ${batch.orderKey}::bytea[],
          ${batch.ordinal}::integer[], ${batch.line}::integer[], ${batch.transitivity}::"char"[],
          ${batch.resolved}::text[])`)
    }
  }
  send(sql`delete from version_bill where deployment_id = ${tx.deploymentId}
    and repository_id = ${repositoryId} and version in (select version from version_bill
      where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId}
      order by is_latest desc, updated_at desc offset ${mostVersions})`)
  await Promise.all(sent)
}

/** The default branch itself is the latest again. */
export async function forgetLatest(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.query(sql`update version_bill set is_latest = false
    where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId} and is_latest`)
}

/** What such a bill lists, in the shape of `inventoryEntries`. */
export function versionBillEntries(deploymentId: number, repositoryId: number, version: string): Sql {
  return sql`(
      select b.path, b.source, entry.ordinal, entry.line, entry.transitivity, entry.ecosystem, entry.name,
        entry.shown_name as "shownName", entry.version, entry.order_key as "orderKey", entry.resolved
      from (select p.*, b.source from version_bill b join version_bill_part p on p.deployment_id = b.deployment_id
          and p.repository_id = b.repository_id and p.version = b.version
        where b.deployment_id = ${deploymentId} and b.repository_id = ${repositoryId} and b.version = ${version}) b
      cross join lateral unnest(b.ordinal, b.line, b.transitivity, b.ecosystem, b.name, b.shown_name,
        b.component_version, b.order_key, b.resolved)
        as entry (ordinal, line, transitivity, ecosystem, name, shown_name, version, order_key, resolved)
      where entry.version <> ''
      offset 0
    )`
}
