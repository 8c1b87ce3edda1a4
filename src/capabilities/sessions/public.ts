import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable } from '../../kernel/database/database.ts'
import { mustSetUpFactor, type Requirement } from '../factors/public.ts'
import { isOperatorInSession, providerOfSession, sessionReaches } from '../sign-in-providers/public.ts'

export { BrowserSession } from './browser/browser-contract.ts'
export { hashOfCookie } from './browser/browser-secret.ts'
export type { AccountRecord } from './history/account-record.ts'
export { type AttemptLimits, passwordChangeLimits } from './throttling/attempt-limits.ts'
export { rememberNetwork } from './throttling/known-networks.ts'
export { networkOf } from './throttling/network.ts'
export { hashesOf as refreshHashesOf, newRefreshToken, nextRefreshToken } from './tokens/refresh-token.ts'

export type LiveSession = {
  revoked: boolean
  operator: boolean
  roles: { deployment: number; role: Role }[]
  /** Signed in with less than is required of them: they may set that up and nothing else. */
  must_set_up: boolean
}

/** A session with its person, and the provider that it began at. */
export const liveSession = sql`session join person on person.id = session.person_id ${providerOfSession}`

/** Beside a live session: what its person may do in it. Where they are suspended they have no role. */
export const rightsInSession = sql`${isOperatorInSession} as operator, coalesce((select json_agg(json_build_object(
    'deployment', membership.deployment_id, 'role', membership.role)) from membership
  where membership.person_id = person.id and membership.suspended_at is null and ${sessionReaches}), '[]') as roles`

/** Everything a request by a signed-in person needs to know, in one look. */
export async function findLive(
  db: { query: IdentityQueryable['query'] },
  sessionId: string,
  personId: number,
  requirement: Requirement,
): Promise<LiveSession | undefined> {
  const [row] = await db.query<LiveSession>(sql`select session.revoked_at is not null as revoked, ${rightsInSession},
      ${mustSetUpFactor(requirement)} as must_set_up
    from ${liveSession}
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

/** Those that began at the provider for a subject, or under the name that it has for a session. Answers whose they were. */
export async function endSessionsOfProvider(
  db: IdentityQueryable,
  providerId: number,
  named: { subject?: string | undefined; sid?: string | undefined; openedUntil?: Date | undefined },
): Promise<{ id: string; person_id: number }[]> {
  return db.query(sql`update session set revoked_at = now() where provider_id = ${providerId} and revoked_at is null
    and (${named.subject ?? null}::text is null or provider_subject = ${named.subject ?? null})
    and (${named.sid ?? null}::text is null or provider_sid = ${named.sid ?? null})
    and (${named.openedUntil ?? null}::timestamptz is null or created_at <= ${named.openedUntil ?? null})
    returning id, person_id`)
}

/** Whether nobody has ended it, as of now and not of a moment ago. */
export async function sessionStands(db: IdentityQueryable, sessionId: string, personId: number): Promise<boolean> {
  const rows = await db.query(sql`select 1 from session
    where id = ${sessionId} and person_id = ${personId} and revoked_at is null`)
  return rows.length > 0
}

/** When its person proved who they are; refreshing it does not count. */
export async function openedAt(
  db: { query: IdentityQueryable['query'] },
  sessionId: string,
): Promise<Date | undefined> {
  const [row] = await db.query<{ created_at: Date }>(sql`select created_at from session where id = ${sessionId}`)
  return row?.created_at
}
