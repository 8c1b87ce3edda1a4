import sql, { empty, join, type Sql } from 'sql-template-tag'
import { begins } from '../../../kernel/database/begins.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

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

/** Whether anything is asked of a refusal besides its time. */
export function isNarrow({ since: _since, until: _until, ...rest }: RefusalQuestion): boolean {
  return Object.values(rest).some((each) => each !== undefined)
}

/** What a refusal has to fulfil to be one of those that are asked for. */
export function refusalCondition(db: Queryable, question: RefusalQuestion): Sql {
  const { since, until } = question
  return all([
    ...whoAndWhy(db, question),
    since && sql`refusal.at >= ${since}`,
    until && sql`refusal.at < ${until}`,
    artifactCondition(db, question),
  ])
}

/** The same of what is added up, but for the time. */
export function sumCondition(db: Queryable, question: RefusalQuestion): Sql {
  const { ecosystems, version, name } = question
  return all([
    ...whoAndWhy(db, question),
    ecosystems && sql`refusal.ecosystem = any(${[...ecosystems]}::text[])`,
    version !== undefined && sql`refusal.version = ${version}`,
    name && artifactCondition(db, { name }),
  ])
}

type Condition = Sql | false | undefined

function all(conditions: Condition[]): Sql {
  return join(
    conditions.filter((condition) => condition instanceof Object),
    ' and ',
  )
}

function whoAndWhy(db: Queryable, { rules, advisoryId, personIds, tokenIds, watched }: RefusalQuestion): Condition[] {
  return [
    sql`refusal.deployment_id = ${db.deploymentId}`,
    rules && sql`refusal.rule = any(${[...rules]}::text[])`,
    advisoryId !== undefined && sql`refusal.advisory_id = ${advisoryId}`,
    personIds && sql`refusal.person_id = any(${[...personIds]}::bigint[])`,
    tokenIds && sql`refusal.token_id = any(${[...tokenIds]}::bigint[])`,
    watched !== undefined && sql`refusal.watched = ${watched}`,
  ]
}

/** Where a name is asked for, an index leads to few artifacts; else each refusal's own is looked at. */
function artifactCondition({ deploymentId }: Queryable, { ecosystems, name, version }: RefusalQuestion): Sql | false {
  if (!ecosystems && !name && version === undefined) return false
  const besides = sql`${version === undefined ? empty : sql`and artifact.version = ${version}`}
    ${ecosystems ? sql`and artifact.ecosystem = any(${[...ecosystems]}::text[])` : empty}`
  return name
    ? sql`refusal.artifact_id = any(array(select artifact.id from firewall_artifact artifact
        where artifact.deployment_id = ${deploymentId} and ${nameCondition(name)} ${besides}))`
    : sql`exists (select 1 from firewall_artifact artifact
        where artifact.deployment_id = ${deploymentId} and artifact.id = refusal.artifact_id ${besides} offset 0)`
}

function nameCondition(name: { exact: string } | { starts: readonly string[] }): Sql {
  if ('exact' in name) return sql`artifact.name = ${name.exact}`
  const starts = name.starts.map((start) => sql`(${begins(sql`artifact.name`, start)})`)
  return sql`(${join(starts, ' or ')})`
}
