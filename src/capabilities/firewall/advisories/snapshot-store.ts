import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { inventories, versionIdsOf } from '../../inventory/public.ts'

/** So old a snapshot has to be before it proves anything; the next one is taken no sooner. */
export const snapshotDays = 7

const kept = 2

/**
 * Takes those that are due, up to a limit. Answers how many it took.
 *
 * Only people have a voice: what a service account uploads is decided by whoever can change a pipeline. And only in what they
 * sent: an inventory is called after who sent the last of its files, but others may have sent files beside it.
 */
export async function takeSnapshots(tx: Transaction, now: Date, limit: number): Promise<number> {
  const due = new Date(now.getTime() - snapshotDays * 86_400_000)
  const isProven = (scanId: Sql) => sql`exists (select 1 from scan file_scan
    where file_scan.deployment_id = ${tx.deploymentId} and file_scan.id = ${scanId} and (file_scan.person_id = voice.person_id
      or exists (select 1 from voice other where other.person_id = file_scan.person_id and other.trusted)))`
  const rows = await tx.query<{ id: number }>(sql`with voice as materialized (
      select person_id, role in ('owner', 'admin') as trusted from membership
      where deployment_id = ${tx.deploymentId} and not exists (select 1 from service_account account
        where account.deployment_id = ${tx.deploymentId} and account.person_id = membership.person_id)
    )
    insert into inventory_snapshot (deployment_id, repository_id, taken_at, person_id, trusted, version_ids)
    select ${tx.deploymentId}::bigint, inventory.repository_id, ${now}, voice.person_id, voice.trusted,
      array(${versionIdsOf(tx.deploymentId, sql`inventory.repository_id`, isProven)} order by 1)
    from ${inventories(tx.deploymentId)} inventory
    join scan on scan.deployment_id = ${tx.deploymentId} and scan.id = inventory.scan_id
    join voice on voice.person_id = scan.person_id
    where not exists (select 1 from inventory_snapshot known where known.deployment_id = ${tx.deploymentId}
        and known.repository_id = inventory.repository_id and known.taken_at > ${due})
    order by inventory.repository_id limit ${limit}
    on conflict do nothing
    returning repository_id as id`)
  const ids = rows.map(({ id }) => id)
  await tx.query(sql`delete from inventory_snapshot old
    where old.deployment_id = ${tx.deploymentId} and old.repository_id = any(${ids}::bigint[])
      and (select count(*) from inventory_snapshot newer where newer.deployment_id = ${tx.deploymentId}
        and newer.repository_id = old.repository_id and newer.taken_at > old.taken_at) >= ${kept}`)
  return ids.length
}
