import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database/database.ts'

/** Owners and admins: those who may decide. */
export async function deciders(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select person.id
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and membership.role in ('owner', 'admin')
      and not person.is_service and membership.suspended_at is null order by person.id`)
  return rows.map(({ id }) => id)
}

/** Where to write to a person who still belongs to the deployment. */
export async function addressOf(db: Queryable, personId: number): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`select person.email
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and person.id = ${personId}
      and not person.is_service and membership.suspended_at is null`)
  return row?.email
}
