import sql from 'sql-template-tag'
import type { Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import { inventories, versionIdsOf } from '../../inventory/public.ts'

/** So old a snapshot has to be before it proves anything; the next one is taken no sooner. */
export const snapshotDays = 7

const kept = 2

export async function deployments(db: WorkerQueryable): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select id from deployment order by id`)
  return rows.map(({ id }) => id)
}

/** Takes those that are due, up to a limit. Answers how many it took. */
export async function takeSnapshots(tx: Transaction, now: Date, limit: number): Promise<number> {
  const due = new Date(now.getTime() - snapshotDays * 86_400_000)
  const rows = await tx.query<{ id: number }>(sql`insert into inventory_snapshot
      (deployment_id, repository_id, taken_at, person_id, trusted, version_ids)
    select ${tx.deploymentId}::bigint, inventory.repository_id, ${now}, scan.person_id,
      exists (select 1 from membership where membership.deployment_id = ${tx.deploymentId}
        and membership.person_id = scan.person_id and membership.role in ('owner', 'admin')),
      array(${versionIdsOf(tx.deploymentId, sql`inventory.repository_id`)} order by 1)
    from ${inventories(tx.deploymentId)} inventory
    join scan on scan.deployment_id = ${tx.deploymentId} and scan.id = inventory.scan_id
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
