import sql, { type Sql } from 'sql-template-tag'

/** What a memory is about; null and '' leave open. A repository or a tag, never both. */
export type Scope = {
  rule: string
  repositoryId: number | null
  tagId: number | null
  pathPrefixes: string[]
  vulnerabilityClass: string
}

/** Whether the memory `m` covers the finding `f`, whose rule is `r`: the one place that says so. */
export const covers: Sql = sql`m.deployment_id = f.deployment_id and m.rule in ('', r.external_id)
  and (m.repository_id = f.repository_id or m.repository_id is null and (m.tag_id is null or exists (
    select from repository_tag rt where rt.deployment_id = f.deployment_id and rt.repository_id = f.repository_id
      and rt.tag_id = m.tag_id)))
  and (m.path_prefixes = '{}' or exists (select from unnest(m.path_prefixes) as prefix
    where f.path = prefix or starts_with(f.path, prefix || '/')))
  and (m.vulnerability_class = '' or m.vulnerability_class = any (f.cwes))`

/** The rule `r` of the finding `f`. */
export const ruleOf: Sql = sql`join finding_rule r on r.deployment_id = f.deployment_id and r.id = f.rule_id`

/** The memory that is to hold the finding `f`, if any. */
export const holderOf: Sql = sql`select m.id from finding_rule r join memory m on ${covers}
  where r.deployment_id = f.deployment_id and r.id = f.rule_id and m.in_force
  order by m.live_since, m.id limit 1`

/** Where to look for the findings `f` of a scope: more than it covers, but found by an index. */
export function around(deploymentId: number, { rule, repositoryId, tagId }: Scope): Sql {
  const ofRule = rule
    ? sql`f.rule_id in (select r.id from finding_rule r where r.deployment_id = ${deploymentId} and r.external_id = ${rule})`
    : sql`true`
  if (repositoryId === null && tagId === null) return ofRule
  return sql`${ofRule} and f.repository_id in (${repositoriesOf(deploymentId, { repositoryId, tagId })})`
}

/** The ids of the repositories that a scope is about. */
export function repositoriesOf(
  deploymentId: number,
  { repositoryId, tagId }: Pick<Scope, 'repositoryId' | 'tagId'>,
): Sql {
  if (repositoryId !== null) return sql`select ${repositoryId}::bigint as id`
  if (tagId === null) return sql`select id from repository where deployment_id = ${deploymentId}`
  return sql`select repository_id as id from repository_tag where deployment_id = ${deploymentId} and tag_id = ${tagId}`
}
