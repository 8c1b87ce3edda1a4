import sql, { empty, type Sql } from 'sql-template-tag'
import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import { repositoriesOfTeams } from '../../teams/public.ts'
import type { Extent } from '../counting/parts.ts'

/** What a request names. */
export type Names = {
  projects: readonly string[] | undefined
  projectIds: readonly number[] | undefined
  tags: readonly string[] | undefined
  teams: readonly string[] | undefined
  archived: boolean | undefined
  ruleIds: readonly string[] | undefined
}

export type Scope = Extent & {
  repositoryIds: string[]
  ruleIds: string[]
  unknownProjects: string[]
  unknownProjectIds: string[]
  unknownTags: string[]
  unknownTeams: string[]
}

const none = sql`'{}'::text[]`

/** The rules that are asked for, the repositories that the actor sees and asks for if not `all`, and what there is not. */
export async function resolve(db: Queryable, actor: Actor, names: Names, all: boolean): Promise<Scope> {
  const { projects, projectIds, tags, teams, archived, ruleIds } = names
  const { deploymentId } = db
  const seen = visibleTo(actor, sql`r.id`)
  const tagged = sql`select rt.repository_id from tag t
    join repository_tag rt on rt.deployment_id = t.deployment_id and rt.tag_id = t.id
    where t.deployment_id = ${deploymentId} and t.name = any(${tags}::text[])`
  const wanted = sql`array(select r.id from repository r where r.deployment_id = ${deploymentId} and ${seen}
      ${projects ? sql`and r.name = any(${projects}::text[])` : empty}
      ${projectIds ? sql`and r.id = any(${projectIds}::bigint[])` : empty}
      ${tags ? sql`and r.id in (${tagged})` : empty}
      ${archived === undefined ? empty : sql`and r.archived = ${archived}`}
      ${teams ? sql`and r.id in (${repositoriesOfTeams(deploymentId, teams)})` : empty})`
  const repository = sql`select from repository r where r.deployment_id = ${deploymentId} and ${seen}`
  const tag = sql`select from tag t where t.deployment_id = ${deploymentId} ${seesEverything(actor) ? empty : carried(actor)}`
  const team = sql`select from team t where t.deployment_id = ${deploymentId}`
  const [row] = await db.query<Scope>(sql`select
    (select count(*) from repository r where r.deployment_id = ${deploymentId}) as repositories,
    (select count(*) from finding_rule rule where rule.deployment_id = ${deploymentId}) as rules,
    ${all ? none : wanted} as "repositoryIds",
    ${ruleIds ? rulesNamed(deploymentId, ruleIds) : none} as "ruleIds",
    ${projects ? missing(projects, sql`text`, sql`${repository} and r.name = given.one`) : none} as "unknownProjects",
    ${projectIds ? missing(projectIds, sql`bigint`, sql`${repository} and r.id = given.one`) : none} as "unknownProjectIds",
    ${tags ? missing(tags, sql`text`, sql`${tag} and t.name = given.one`) : none} as "unknownTags",
    ${teams ? missing(teams, sql`text`, sql`${team} and given.one in (t.slug, t.name)`) : none} as "unknownTeams"`)
  return row!
}

/** A tag `t` that only repositories carry which the actor does not see is one that there is not. */
function carried(actor: Actor): Sql {
  return sql`and exists (select 1 from repository_tag rt where rt.deployment_id = t.deployment_id and rt.tag_id = t.id
    and ${visibleTo(actor, sql`rt.repository_id`)})`
}

function rulesNamed(deploymentId: number, ruleIds: readonly string[]): Sql {
  return sql`array(select rule.id from finding_rule rule
    where rule.deployment_id = ${deploymentId} and rule.external_id = any(${ruleIds}::text[]))`
}

function missing(given: readonly (string | number)[], type: Sql, known: Sql): Sql {
  return sql`array(select given.one::text from unnest(${given}::${type}[]) as given (one) where not exists (${known}))`
}
