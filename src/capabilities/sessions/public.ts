import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable } from '../../kernel/database/database.ts'

export type { AccountRecord } from './history/account-record.ts'
export { type AttemptLimits, passwordChangeLimits } from './throttling/attempt-limits.ts'
export { rememberNetwork } from './throttling/known-networks.ts'
export { networkOf } from './throttling/network.ts'

export type LiveSession = { revoked: boolean; operator: boolean; roles: { deployment: number; role: Role }[] }

/** Beside a row of `person`. */
export const rolesOfPerson = sql`coalesce((select json_agg(json_build_object('deployment', membership.deployment_id,
    'role', membership.role)) from membership where membership.person_id = person.id), '[]')`

/** Everything a request by a signed-in person needs to know, in one look. */
export async function findLive(
  db: { query: IdentityQueryable['query'] },
  sessionId: string,
  personId: number,
): Promise<LiveSession | undefined> {
  const [row] = await db.query<LiveSession>(sql`select session.revoked_at is not null as revoked, person.operator,
      ${rolesOfPerson} as roles
    from session join person on person.id = session.person_id
    where session.id = ${sessionId} and session.person_id = ${personId}`)
  return row
}

export async function endOtherSessions(db: IdentityQueryable, personId: number, keep: string): Promise<void> {
  await db.query(sql`update session set revoked_at = now()
    where person_id = ${personId} and id <> ${keep} and revoked_at is null`)
}

export async function endAllSessions(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`update session set revoked_at = now() where person_id = ${personId} and revoked_at is null`)
}
