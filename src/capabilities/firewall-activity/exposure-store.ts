import sql, { join, type Sql } from 'sql-template-tag'
import { emailOfPerson, nameOfPerson } from '../../domain/person-names.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

export type FetchedArtifact = { id: number; ecosystem: EcosystemId; name: string; version: string }

/** The versions of these packages that somebody was given. */
export function fetchedArtifacts(
  db: Queryable,
  packages: readonly { ecosystem: string; name: string }[],
): Promise<FetchedArtifact[]> {
  return db.query(sql`select artifact.id, artifact.ecosystem, artifact.name, artifact.version
    from jsonb_to_recordset(${JSON.stringify(packages)}::jsonb) as given (ecosystem text, name text)
    join firewall_artifact artifact on artifact.deployment_id = ${db.deploymentId} and artifact.name = given.name
      and artifact.ecosystem = given.ecosystem
    where exists (select 1 from firewall_fetch fetched
      where fetched.deployment_id = ${db.deploymentId} and fetched.artifact_id = artifact.id)
    order by artifact.id`)
}

export type Exposed = { artifactId: number; personId: number; tokenId: number }

/** Everybody who was given one of these is exposed from now on. Answers who was not before. */
export async function expose(
  tx: Transaction,
  artifacts: readonly { id: number; advisoryIds: readonly string[] }[],
  at: Date,
): Promise<Exposed[]> {
  await refreshReasons(tx, artifacts)
  return tx.query(sql`insert into firewall_exposure as known
      (deployment_id, artifact_id, person_id, token_id, advisory_ids, fetched_at, found_at)
    select fetched.deployment_id, fetched.artifact_id, fetched.person_id, fetched.token_id, given."advisoryIds",
      fetched.first_at, ${at}
    from jsonb_to_recordset(${JSON.stringify(artifacts)}::jsonb) as given (id bigint, "advisoryIds" text[])
    join firewall_fetch fetched on fetched.deployment_id = ${tx.deploymentId} and fetched.artifact_id = given.id
    order by fetched.artifact_id, fetched.person_id, fetched.token_id
    on conflict (deployment_id, artifact_id, person_id, token_id) do update
      set advisory_ids = excluded.advisory_ids, withdrawn_at = null, found_at = excluded.found_at
      where known.withdrawn_at is not null
    returning artifact_id as "artifactId", person_id as "personId", token_id as "tokenId"`)
}

/** What says so now, of those who are exposed already. */
async function refreshReasons(
  tx: Transaction,
  artifacts: readonly { id: number; advisoryIds: readonly string[] }[],
): Promise<void> {
  await tx.query(sql`update firewall_exposure known set advisory_ids = given."advisoryIds"
    from jsonb_to_recordset(${JSON.stringify(artifacts)}::jsonb) as given (id bigint, "advisoryIds" text[])
    where known.deployment_id = ${tx.deploymentId} and known.artifact_id = given.id
      and known.withdrawn_at is null and known.advisory_ids <> given."advisoryIds"`)
}

/** It was a mistake after all. Answers who had been told otherwise. */
export function takeBack(tx: Transaction, artifactIds: readonly number[], at: Date): Promise<Exposed[]> {
  return tx.query(sql`update firewall_exposure set withdrawn_at = ${at}
    where deployment_id = ${tx.deploymentId} and artifact_id = any(${[...artifactIds]}::bigint[]) and withdrawn_at is null
    returning artifact_id as "artifactId", person_id as "personId", token_id as "tokenId"`)
}

export async function hasStandingExposures(db: Queryable): Promise<boolean> {
  const rows = await db.query(sql`select from firewall_exposure
    where deployment_id = ${db.deploymentId} and withdrawn_at is null limit 1`)
  return rows.length > 0
}

export type StandingExposure = Omit<ExposureRow, 'foundAt' | 'withdrawnAt' | 'personName' | 'tokenName'> & {
  /** How the person and the token are called; '' where they are gone. */
  person: string
  token: string
}

/** Everybody who is exposed now, and to what. */
export function standingExposures(db: Queryable): Promise<StandingExposure[]> {
  return db.query(sql`select exposure.id, artifact.ecosystem, artifact.name, artifact.version,
      exposure.person_id as "personId", exposure.token_id as "tokenId", exposure.advisory_ids as "advisoryIds",
      exposure.fetched_at as "fetchedAt", ${emailOfPerson(db.deploymentId, sql`exposure.person_id`)} as person, coalesce(token.name, '') as token
    from firewall_exposure exposure
    join firewall_artifact artifact on artifact.deployment_id = exposure.deployment_id and artifact.id = exposure.artifact_id
    left join api_token token on token.deployment_id = exposure.deployment_id and token.id = exposure.token_id
    where exposure.deployment_id = ${db.deploymentId} and exposure.withdrawn_at is null order by exposure.id`)
}

export type ExposureRow = FetchedArtifact & {
  personId: number
  personName: string
  tokenId: number
  tokenName: string
  advisoryIds: string[]
  fetchedAt: Date
  foundAt: Date
  withdrawnAt: Date | null
}

export type ExposureFilter = {
  personId?: number | undefined
  package?: string
  ecosystem?: EcosystemId
  /** In its stored form. */
  name?: string
  state?: string
}

/** Of everybody, or of one person. With one more than the page has. */
export function listExposures(
  db: Queryable,
  { after, size }: PageRequest,
  { personId, package: text, ecosystem, name, state }: ExposureFilter,
): Promise<ExposureRow[]> {
  const conditions = [
    personId !== undefined && sql`exposure.person_id = ${personId}`,
    ecosystem !== undefined && sql`artifact.ecosystem = ${ecosystem}`,
    name !== undefined && sql`artifact.name = ${name}`,
    text && sql`strpos(lower(artifact.name), lower(${text})) > 0`,
    state === 'open' && sql`exposure.withdrawn_at is null`,
    state === 'withdrawn' && sql`exposure.withdrawn_at is not null`,
  ].filter((condition): condition is Sql => condition instanceof Object)
  return db.query(sql`select exposure.id, artifact.ecosystem, artifact.name, artifact.version,
      exposure.person_id as "personId", exposure.token_id as "tokenId", exposure.advisory_ids as "advisoryIds",
      exposure.fetched_at as "fetchedAt", exposure.found_at as "foundAt", exposure.withdrawn_at as "withdrawnAt",
      ${nameOfPerson(db.deploymentId, sql`exposure.person_id`)} as "personName", coalesce(token.name, '') as "tokenName"
    from firewall_exposure exposure
    join firewall_artifact artifact on artifact.deployment_id = exposure.deployment_id and artifact.id = exposure.artifact_id
    left join api_token token on token.deployment_id = exposure.deployment_id and token.id = exposure.token_id
    where ${join([sql`exposure.deployment_id = ${db.deploymentId} and exposure.id > ${after}`, ...conditions], ' and ')}
    order by exposure.id limit ${size + 1}`)
}
