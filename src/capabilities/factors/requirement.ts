import sql, { type Sql } from 'sql-template-tag'

export const requirements = ['optional', 'admins', 'everyone'] as const
/** Who needs a second factor: nobody, owners and admins, or everyone. */
export type Requirement = (typeof requirements)[number]

/** Beside a row of `person`. */
const hasFactor = sql`(exists (select 1 from totp_factor where totp_factor.id = person.id)
  or exists (select 1 from passkey where passkey.person_id = person.id))`

/** Beside a row of `person`: by the deployments they belong to, and by what the instance wants of all. */
export function needsFactor(ofInstance: Requirement): Sql {
  return sql`((person.operator and ${ofInstance}::text <> 'optional') or exists (select 1 from membership
    join deployment on deployment.id = membership.deployment_id where membership.person_id = person.id
      and ('everyone' in (${ofInstance}::text, deployment.second_factor)
        or ('admins' in (${ofInstance}::text, deployment.second_factor) and membership.role in ('owner', 'admin')))))`
}

/** Beside rows of `session` and `person`: whoever came in by the password alone and should have more sets it up first. */
export function mustSetUpFactor(ofInstance: Requirement): Sql {
  return sql`(session.proof = 'password' and ${needsFactor(ofInstance)} and not ${hasFactor})`
}
