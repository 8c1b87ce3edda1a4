import sql, { empty, join, type Sql } from 'sql-template-tag'
import { begins } from '../../../kernel/database/begins.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { RefusalEvent } from './refusal-contract.ts'

export type RefusalRow = Omit<RefusalEvent, 'at'> & { at: Date }
export type Position = { at: Date; id: number }

export type RefusalQuestion = {
  ecosystems?: readonly string[] | undefined
  /** Names that are equal to it, or begin with it. */
  name?: { exact: string } | { starts: readonly string[] } | undefined
  version?: string | undefined
  rules?: readonly string[] | undefined
  advisoryId?: string | undefined
  personIds?: readonly number[] | undefined
  tokenIds?: readonly number[] | undefined
  watched?: boolean | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** Newest first, from after a position on. */
export function searchRefusals(
  db: Queryable,
  question: RefusalQuestion,
  after: Position | undefined,
  limit: number,
): Promise<RefusalRow[]> {
  const beyond = after ? sql`and (refusal.at, refusal.id) < (${after.at}::timestamptz, ${after.id}::bigint)` : empty
  return db.query(sql`select refusal.id, refusal.at, artifact.ecosystem, artifact.name, artifact.version, refusal.rule,
      refusal.reason, refusal.advisory_id as "advisoryId", refusal.person_id as "personId",
      coalesce(person.name, '') as "personName", refusal.token_id as "tokenId", coalesce(token.name, '') as "tokenName",
      refusal.client, refusal.address, refusal.watched, refusal.count
    from (select * from firewall_refusal refusal where ${refusalCondition(db, question)} ${beyond}
      order by refusal.at desc, refusal.id desc limit ${limit}) refusal
    join firewall_artifact artifact on artifact.deployment_id = ${db.deploymentId} and artifact.id = refusal.artifact_id
    left join person on person.id = refusal.person_id
    left join api_token token on token.deployment_id = ${db.deploymentId} and token.id = refusal.token_id
    order by refusal.at desc, refusal.id desc`)
}

/** What a refusal has to fulfil to be one of those that are asked for. */
export function refusalCondition(db: Queryable, question: RefusalQuestion): Sql {
  const { rules, advisoryId, personIds, tokenIds, watched, since, until } = question
  const conditions = [
    sql`refusal.deployment_id = ${db.deploymentId}`,
    rules && sql`refusal.rule = any(${[...rules]}::text[])`,
    advisoryId !== undefined && sql`refusal.advisory_id = ${advisoryId}`,
    personIds && sql`refusal.person_id = any(${[...personIds]}::bigint[])`,
    tokenIds && sql`refusal.token_id = any(${[...tokenIds]}::bigint[])`,
    watched !== undefined && sql`refusal.watched = ${watched}`,
    since && sql`refusal.at >= ${since}`,
    until && sql`refusal.at < ${until}`,
    artifactCondition(db, question),
  ].filter((condition): condition is Sql => condition instanceof Object)
  return join(conditions, ' and ')
}

function artifactCondition({ deploymentId }: Queryable, { ecosystems, name, version }: RefusalQuestion): Sql | false {
  if (!ecosystems && !name && version === undefined) return false
  return sql`refusal.artifact_id in (select artifact.id from firewall_artifact artifact
    where artifact.deployment_id = ${deploymentId}
      ${name ? sql`and ${nameCondition(name)}` : empty}
      ${version === undefined ? empty : sql`and artifact.version = ${version}`}
      ${ecosystems ? sql`and artifact.ecosystem = any(${[...ecosystems]}::text[])` : empty})`
}

function nameCondition(name: { exact: string } | { starts: readonly string[] }): Sql {
  if ('exact' in name) return sql`artifact.name = ${name.exact}`
  const starts = name.starts.map((start) => sql`(${begins(sql`artifact.name`, start)})`)
  return sql`(${join(starts, ' or ')})`
}
