import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from '../search/conditions.ts'
import { hasPart, inAnySpelling } from '../search/name-spellings.ts'
import { isWide, wantedRepositories } from './wanted-repositories.ts'

/**
 * Packages in use whose name has this text (in lower case): the name itself first, then those that begin with it, then
 * others; shorter ones before longer ones.
 */
export async function completeNames(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  { text, ecosystem, limit }: { text: string; ecosystem: string | undefined; limit: number },
): Promise<{ ecosystem: string; name: string }[]> {
  const { deploymentId } = db
  const isWhole = inAnySpelling(text, (typed) => sql`(lower(p.shown_name) = ${typed} or p.name = ${typed})`)
  const isBeginning = inAnySpelling(text, (typed) => sql`starts_with(p.search_text, ${typed})`)
  const isUsed = (await isWide(db, actor, conditions)) ? isUsedAnywhere(deploymentId) : isAmongFew(deploymentId)
  return db.query(sql`with ${wantedRepositories(actor, conditions)}
    select match.ecosystem, match.shown_name as name from (
      select p.id, p.ecosystem, p.shown_name from package p
      where p.deployment_id = ${deploymentId} and ${hasPart(text)}
        ${ecosystem === undefined ? empty : sql`and p.ecosystem = ${ecosystem}`}
      order by case when ${isWhole} then 0 when ${isBeginning} then 1 else 2 end,
        length(p.name), p.name, p.ecosystem offset 0) match
    where ${isUsed} limit ${limit}`)
}

/** Looked up one after the other, until there are enough. */
function isUsedAnywhere(deploymentId: number): Sql {
  return sql`exists (select 1 from package_version v cross join lateral (select d.repository_id from dependency d
      where d.deployment_id = ${deploymentId} and d.package_version_id = v.id offset 0) d
    where v.deployment_id = ${deploymentId} and v.package_id = match.id
      and (d.repository_id in (select id from wanted_repository)) is true)`
}

function isAmongFew(deploymentId: number): Sql {
  return sql`(match.id in (select d.package_id from dependency d where d.deployment_id = ${deploymentId}
    and d.repository_id = any(array(select id from wanted_repository)))) is true`
}
