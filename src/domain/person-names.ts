import sql, { type Sql } from 'sql-template-tag'

/** How a person of the deployment is called, or was called when they left it. '' for those who never were its own. */
export function nameOfPerson(deploymentId: number | Sql, id: Sql): Sql {
  return ofPerson(deploymentId, id, sql`name`)
}

export function emailOfPerson(deploymentId: number | Sql, id: Sql): Sql {
  return ofPerson(deploymentId, id, sql`email`)
}

/** The names of several, as rows. */
export function namesOfPeople(deploymentId: number, ids: Sql): Sql {
  return sql`select person.name from person where person.id = any(${ids})
    union all select former.name from former_member former
    where former.deployment_id = ${deploymentId} and former.person_id = any(${ids})
      and not exists (select from person where person.id = former.person_id)`
}

/** Row-level security shows a deployment the accounts of its members alone. */
function ofPerson(deploymentId: number | Sql, id: Sql, field: Sql): Sql {
  return sql`coalesce((select person.${field} from person where person.id = ${id}),
    (select former.${field} from former_member former
      where former.deployment_id = ${deploymentId} and former.person_id = ${id}), '')`
}
