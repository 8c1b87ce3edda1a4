import sql from 'sql-template-tag'

/** The tags of a repository `r`, to be put into any query. */
export const tagNames = sql`array(select tag.name from repository_tag held
    join tag on tag.deployment_id = held.deployment_id and tag.id = held.tag_id
    where held.deployment_id = r.deployment_id and held.repository_id = r.id order by tag.name collate "C")`
