import sql, { empty, type Sql } from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { begins } from '../../../kernel/database/begins.ts'
import type { Queryable, Transaction, WorkerQueryable } from '../../../kernel/database/database.ts'
import {
  type BroughtFiles,
  type EntryColumns,
  findInBatches,
  inventoryEntries,
  joinDependencies,
  joinPackages,
  joinVersions,
  ofBestSource,
  packageNamesWhere,
  shownNameOf,
  versionBillEntries,
} from '../../inventory/public.ts'

/** Deployments that have not looked yet who has what the advisories up to now name, or what they allowed until now. */
export function deploymentsBehind(db: WorkerQueryable, now: Date): Promise<{ id: number }[]> {
  return db.query(sql`with known as materialized (select deployment_id, exposure_revision from firewall_deployment),
      ended as materialized (select deployment_id from firewall_override where expires_at <= ${now} and not lapsed)
    select deployment.id from deployment
    cross join advisory_state
    left join known on known.deployment_id = deployment.id
    where coalesce(known.exposure_revision, 0) < advisory_state.revision
      or deployment.id in (select deployment_id from ended)
    order by deployment.id`)
}

type Mark = { after: number; revision: number; configurationVersion: number }

/** Who looks holds the row; answers up to where it was looked, up to where it can be now, and what the configuration is at. */
export async function lockMark(tx: Transaction): Promise<Mark> {
  await tx.query(
    sql`insert into firewall_deployment (deployment_id) values (${tx.deploymentId}) on conflict do nothing`,
  )
  const [row] = await tx.query<Mark>(sql`select exposure_revision as after, rules as "configurationVersion",
      (select revision from advisory_state) as revision
    from firewall_deployment where deployment_id = ${tx.deploymentId} for update`)
  return row!
}

export async function moveMark(tx: Transaction, revision: number): Promise<void> {
  await tx.query(sql`update firewall_deployment set exposure_revision = ${revision}
    where deployment_id = ${tx.deploymentId}`)
}

export type PackageName = { ecosystem: EcosystemId; name: string }

/** What overrides were about that have run out and nobody has seen to yet; seen to with this. */
export function takeLapsed(tx: Transaction, now: Date): Promise<PackageName[]> {
  return tx.query(sql`with lapsed as (update firewall_override set lapsed = true
      where deployment_id = ${tx.deploymentId} and expires_at <= ${now} and not lapsed returning ecosystem, name)
    select distinct ecosystem, name from lapsed`)
}

const changedPackages = (after: number): Sql => sql`(select distinct named.ecosystem, named.name
  from advisory, jsonb_to_recordset(advisory.packages) as named (ecosystem text, name text)
  where advisory.revision > ${after})`

/** Repositories that have any version of a package that changed advisories name. */
export function repositoriesWith(db: Queryable, after: number): Promise<number[]> {
  return havingAny(db, changedPackages(after))
}

/** Packages whose names begin so that a repository has or somebody asked for. */
export function knownPackages(db: Queryable, ecosystem: EcosystemId, start: string): Promise<PackageName[]> {
  const named = begins(sql`name`, start)
  return db.query(sql`${packageNamesWhere(db.deploymentId, ecosystem, named)}
    union select ecosystem, name from firewall_artifact
      where deployment_id = ${db.deploymentId} and ecosystem = ${ecosystem} and ${named}`)
}

/** Repositories that have any version of one of these. */
export function repositoriesHaving(db: Queryable, packages: readonly PackageName[]): Promise<number[]> {
  return havingAny(db, sql`jsonb_to_recordset(${JSON.stringify(packages)}::jsonb)`, sql`(ecosystem text, name text)`)
}

async function havingAny(db: Queryable, packages: Sql, columns = empty): Promise<number[]> {
  const deployment = sql`${db.deploymentId}`
  const rows = await db.query<{
    id: number
  }>(sql`select distinct d.repository_id as id from ${packages} as named ${columns}
    ${joinPackages(deployment, sql`named`)} ${joinVersions(deployment)} ${joinDependencies(deployment)}
    order by id`)
  return rows.map((row) => row.id)
}

/** Of the packages that changed advisories name, those that somebody asked for. */
export function askedPackages(db: Queryable, after: number): Promise<PackageName[]> {
  return db.query(sql`select changed.ecosystem, changed.name from ${changedPackages(after)} changed
    where exists (select 1 from firewall_artifact artifact where artifact.deployment_id = ${db.deploymentId}
      and artifact.name = changed.name and artifact.ecosystem = changed.ecosystem)`)
}

export type Entry = {
  path: string
  line: number
  ecosystem: EcosystemId
  name: string
  shownName: string
  version: string
  /** Where it was fetched from, as its file says; '' where it says nothing. */
  resolved: string
}

/** Everything that a repository has; what several sources report, once. */
export async function entriesIn(db: Queryable, repositoryId: number): Promise<Entry[]> {
  return ofBestSource(await listEntries(db, inventoryEntries(db.deploymentId, repositoryId)))
}

/** The same where an upload brings some of it, before that is stored. */
export async function entriesAmongBrought(
  db: Queryable,
  repositoryId: number,
  { source, files, keptPaths }: BroughtFiles,
): Promise<Entry[]> {
  const [brought, kept] = await Promise.all([
    findInBatches(files, (path, batch) => entriesOf(db, path, batch)),
    keptPaths.length > 0 ? listEntries(db, inventoryEntries(db.deploymentId, repositoryId, keptPaths)) : [],
  ])
  return ofBestSource([...kept, ...brought.map((entry) => ({ ...entry, source }))])
}

function listEntries(db: Queryable, entries: Sql): Promise<(Entry & { source: string })[]> {
  return db.query(sql`select entry.path, entry.source, entry.line, entry.ecosystem, entry.name, entry."shownName",
    entry.version, entry.resolved from ${entries} entry`)
}

/** Everything in the bill of a version that is not the default branch. */
export function entriesInVersion(db: Queryable, repositoryId: number, version: string): Promise<Entry[]> {
  return db.query(sql`select entry.path, entry.line, entry.ecosystem, entry.name, entry."shownName", entry.version,
    entry.resolved from ${versionBillEntries(db.deploymentId, repositoryId, version)} entry`)
}

/** The same in a file that is not stored. */
export async function entriesOf(db: Queryable, path: string, columns: EntryColumns): Promise<Entry[]> {
  const rows = await db.query<Omit<Entry, 'path'>>(sql`select entry.line, entry.ecosystem, entry.name,
      ${shownNameOf(db.deploymentId)} as "shownName", entry.version, entry.resolved
    from unnest(${columns.line}::integer[], ${columns.ecosystem}::text[], ${columns.name}::text[], ${columns.shownName}::text[], ${columns.version}::text[],
      ${columns.resolved}::text[])
    as entry (line, ecosystem, name, "shownName", version, resolved) where version <> ''`)
  return rows.map((row) => ({ path, ...row }))
}

/** Holds that nobody was told of yet; told with this. */
export function announceReviews(
  tx: Transaction,
): Promise<{ id: number; advisoryId: string; ecosystem: EcosystemId; name: string; repositoryCount: number }[]> {
  return tx.query(sql`update firewall_held set announced = true
    where deployment_id = ${tx.deploymentId} and not announced and state = 'held'
    returning id, advisory_id as "advisoryId", ecosystem, name, repository_count as "repositoryCount"`)
}
