import sql, { type Sql } from 'sql-template-tag'

/** The tags of a repository, to be put into any query. */
export function tagNamesOf(deploymentId: number | Sql, repositoryId: Sql): Sql {
  return sql`array(select tag.name from repository_tag held
    join tag on tag.deployment_id = held.deployment_id and tag.id = held.tag_id
    where held.deployment_id = ${deploymentId} and held.repository_id = ${repositoryId} order by tag.name collate "C")`
}

/** Of a repository `r`. */
export const tagNames = tagNamesOf(sql`r.deployment_id`, sql`r.id`)
