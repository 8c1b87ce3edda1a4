import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { between, refusalTotals } from './refusal-totals.ts'

export type Dependency = { dependency: string; version: string; ecosystem: string; totalBlocked: number }
export type Advised = { advisoryId: string; dependencies: number; totalBlocked: number }

export function blockedDependencies(
  db: Queryable,
  { since, until }: Period,
  after: Dependency | undefined,
  limit: number,
): Promise<Dependency[]> {
  const rest = after
    ? sql`and (total < ${after.totalBlocked} or (total = ${after.totalBlocked}
        and (name, version, ecosystem) > (${after.dependency}, ${after.version}, ${after.ecosystem})))`
    : empty
  return db.query(sql`select name as dependency, version, ecosystem, total as "totalBlocked" from (
      select artifact_id, ${between(0)} as total from (${refusalTotals(db, [since, until])}) refused
      group by artifact_id) totals
    join firewall_artifact artifact on artifact.deployment_id = ${db.deploymentId} and artifact.id = totals.artifact_id
    where total > 0 ${rest}
    order by total desc, name, version, ecosystem limit ${limit}`)
}

export function blockedByAdvisory(
  db: Queryable,
  { since, until }: Period,
  after: Advised | undefined,
  limit: number,
): Promise<Advised[]> {
  const rest = after
    ? sql`where total < ${after.totalBlocked} or (total = ${after.totalBlocked} and advisory_id > ${after.advisoryId})`
    : empty
  return db.query(sql`select advisory_id as "advisoryId", dependencies, total as "totalBlocked" from (
      select advisory_id, sum(total)::bigint as total, count(*) as dependencies from (
        select advisory_id, ${between(0)} as total from (${refusalTotals(db, [since, until])}) refused
        group by advisory_id, artifact_id) counted
      where total > 0 group by advisory_id) totals
    ${rest}
    order by total desc, advisory_id limit ${limit}`)
}

export type Blocked = { total: number; dependencies: number }

/** Of a period and of the one before it, which ends where it begins. */
export async function blockedTotals(
  db: Queryable,
  current: Period,
  previous: Period,
): Promise<{ current: Blocked; previous: Blocked }> {
  const [row] = await db.query<{ current: Blocked; previous: Blocked }>(sql`select
      json_build_object('total', coalesce(sum(later), 0), 'dependencies', count(*) filter (where later > 0)) as current,
      json_build_object('total', coalesce(sum(earlier), 0), 'dependencies', count(*) filter (where earlier > 0)) as previous
    from (
      select ${between(0)} as earlier, ${between(1)} as later
      from (${refusalTotals(db, [previous.since, current.since, current.until])}) refused
      group by artifact_id) counted`)
  return row!
}
