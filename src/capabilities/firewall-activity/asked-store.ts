import sql from 'sql-template-tag'
import { namesOfPeople } from '../../domain/person-names.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { Queryable } from '../../kernel/database/database.ts'

export type AskedVersion = { name: string; version: string; firstAt: Date; lastAt: Date }

export type AskedByWhom = AskedVersion & { ecosystem: EcosystemId; clients: number; people: string[] }

/** The versions that clients were given or refused since then, the latest first, with how many asked for each, and whose they were. */
export function versionsAskedByWhom(
  db: Queryable,
  { ecosystems, since, limit }: { ecosystems: readonly EcosystemId[]; since: Date; limit: number },
): Promise<AskedByWhom[]> {
  return db.query(sql`select artifact.ecosystem, artifact.name, artifact.version, asked.first_at as "firstAt",
      asked.last_at as "lastAt", asked.clients, people.names as people
    from (select each.artifact_id, min(each.first_at) as first_at, max(each.last_at) as last_at,
        count(distinct (each.person_id, each.token_id)) as clients, array_agg(distinct each.person_id) as person_ids from (
        select f.artifact_id, f.person_id, f.token_id, greatest(f.first_at, ${since}) as first_at, f.last_at
        from firewall_fetch f where f.deployment_id = ${db.deploymentId} and f.last_at >= ${since}
        union all
        select r.artifact_id, r.person_id, r.token_id, r.at, r.at from firewall_refusal r
        where r.deployment_id = ${db.deploymentId} and r.at >= ${since}) each
      group by each.artifact_id) asked
    cross join lateral (select a.ecosystem, a.name, a.version from firewall_artifact a
      where a.deployment_id = ${db.deploymentId} and a.id = asked.artifact_id
        and a.ecosystem = any(${[...ecosystems]}::text[]) and a.version <> '*' offset 0) artifact
    cross join lateral (select coalesce(array_agg(named.name order by named.name), '{}') as names from (
      ${namesOfPeople(db.deploymentId, sql`asked.person_ids`)} order by name limit 10) named) people
    order by asked.last_at desc, artifact.name collate "C", artifact.version collate "C" limit ${limit}`)
}

export type AskedName = {
  ecosystem: EcosystemId
  name: string
  versions: number
  clients: number
  people: string[]
  lastAt: Date
}

/** The same by name alone; those count too that were refused whatever the version. */
export function namesAskedByWhom(
  db: Queryable,
  { ecosystems, since, limit }: { ecosystems: readonly EcosystemId[]; since: Date; limit: number },
): Promise<AskedName[]> {
  return db.query(sql`select asked.ecosystem, asked.name, asked.versions, asked.clients, asked.last_at as "lastAt",
      people.names as people
    from (select a.ecosystem, a.name, count(distinct a.id) filter (where a.version <> '*') as versions,
        count(distinct (each.person_id, each.token_id)) as clients, max(each.last_at) as last_at,
        array_agg(distinct each.person_id) as person_ids
      from (select f.artifact_id, f.person_id, f.token_id, f.last_at
          from firewall_fetch f where f.deployment_id = ${db.deploymentId} and f.last_at >= ${since}
        union all
        select r.artifact_id, r.person_id, r.token_id, r.at from firewall_refusal r
          where r.deployment_id = ${db.deploymentId} and r.at >= ${since}) each
      cross join lateral (select a.id, a.ecosystem, a.name, a.version from firewall_artifact a
        where a.deployment_id = ${db.deploymentId} and a.id = each.artifact_id
          and a.ecosystem = any(${[...ecosystems]}::text[]) offset 0) a
      group by a.ecosystem, a.name
      order by max(each.last_at) desc, a.name collate "C" limit ${limit}) asked
    cross join lateral (select coalesce(array_agg(named.name order by named.name), '{}') as names from (
      ${namesOfPeople(db.deploymentId, sql`asked.person_ids`)} order by name limit 10) named) people
    order by asked.last_at desc, asked.name collate "C"`)
}

/** Names that begin so, of packages that clients were given, in their order. */
export async function namesGiven(
  db: Queryable,
  { ecosystem, start, limit }: { ecosystem: EcosystemId; start: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select distinct a.name from firewall_artifact a
    where a.deployment_id = ${db.deploymentId} and a.ecosystem = ${ecosystem}
      and a.name >= ${start} and a.name < ${`${start}\u{10ffff}`}
      and exists (select 1 from firewall_fetch f where f.deployment_id = ${db.deploymentId} and f.artifact_id = a.id)
    order by a.name limit ${limit}`)
  return rows.map(({ name }) => name)
}

/** The versions of a package that clients were given. */
export async function versionsGiven(db: Queryable, ecosystem: EcosystemId, name: string): Promise<string[]> {
  const rows = await db.query<{ version: string }>(sql`select artifact.version from firewall_artifact artifact
    where artifact.deployment_id = ${db.deploymentId} and artifact.name = ${name} and artifact.ecosystem = ${ecosystem}
      and exists (select 1 from firewall_fetch f where f.deployment_id = ${db.deploymentId} and f.artifact_id = artifact.id)`)
  return rows.map(({ version }) => version)
}
