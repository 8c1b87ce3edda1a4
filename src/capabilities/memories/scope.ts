import sql, { type Sql } from 'sql-template-tag'

/** What a memory is about; null and '' leave open. A repository or a tag, never both. */
export type Scope = {
  rule: string
  repositoryId: number | null
  tagId: number | null
  pathPrefixes: string[]
  vulnerabilityClass: string
}

/** Whether a memory `m` is about the rule `r`. */
const ofRule = (deploymentId: number): Sql => sql`m.deployment_id = ${deploymentId} and m.rule in ('', r.external_id)`

/** Whether a memory `m` of its rule covers the finding `f`. A tag is looked up by its index (`offset 0`), and not all are read. */
const ofPlace = (deploymentId: number): Sql => sql`
  (m.repository_id = f.repository_id or m.repository_id is null and (m.tag_id is null or exists (
    select from repository_tag rt where rt.deployment_id = ${deploymentId} and rt.repository_id = f.repository_id
      and rt.tag_id = m.tag_id offset 0)))
  and (m.path_prefixes = '{}' or exists (select 1 from unnest(m.path_prefixes) as prefix
    where f.path = prefix or starts_with(f.path, prefix || '/')))
  and (m.vulnerability_class = '' or m.vulnerability_class = any (f.cwes))`

/** Whether the memory `m` covers the finding `f`, whose rule is `r`. */
export const covers = (deploymentId: number): Sql => sql`${ofRule(deploymentId)} and ${ofPlace(deploymentId)}`

/** The rule `r` of the finding `f`. */
export const ruleOf = (deploymentId: number): Sql =>
  sql`join finding_rule r on r.deployment_id = ${deploymentId} and r.id = f.rule_id`

/**
 * The memories that are to hold the findings of a table `f`. First those for each of its rules, of which there are few:
 * compared with every finding, hundreds of memories would take longer than anything else.
 */
export const coveringMemories = (deploymentId: number): Sql => sql`
  select distinct on (f.id) f.id as finding_id, m.id as memory_id from f
  join (
    select r.id as rule_id, m.id, m.repository_id, m.tag_id, m.path_prefixes, m.vulnerability_class, m.live_since
    from (select distinct f.rule_id from f) f ${ruleOf(deploymentId)} join memory m on ${ofRule(deploymentId)}
    where m.in_force offset 0
  ) m on m.rule_id = f.rule_id and ${ofPlace(deploymentId)}
  order by f.id, m.live_since, m.id`

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
