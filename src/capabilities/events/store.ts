import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Role } from '../../kernel/access/permission.ts'
import type { ChangeName } from '../../kernel/changes/change.ts'
import type { IdentityQueryable, Queryable } from '../../kernel/database/database.ts'
import { mustSetUpFactor, type Requirement } from '../factors/public.ts'
import { visibleTo } from '../repositories/public.ts'
import { liveSession } from '../sessions/public.ts'
import { sessionReaches } from '../sign-in-providers/public.ts'
import { narrowed, tokenWithOwner } from '../tokens/public.ts'

export type Notice = { id: number; name: ChangeName; repositoryId: number }

export function noticesAfter(db: Queryable, after: number, limit: number): Promise<Notice[]> {
  return db.query(sql`select id, name, repository_id as "repositoryId" from change_notice
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${limit}`)
}

export async function lastNotice(db: Queryable): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select id from change_notice
    where deployment_id = ${db.deploymentId} order by id desc limit 1`)
  return row?.id ?? 0
}

/** Those of the repositories that the actor sees. */
export async function visibleOf(db: Queryable, actor: Actor, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(sql`select r.id from repository r
    where r.deployment_id = ${db.deploymentId} and r.id = any(${[...ids]}::bigint[]) and ${visibleTo(actor, sql`r.id`)}`)
  return new Set(rows.map((row) => row.id))
}

export type Credential = { sessionId: string; tokenId: number; personId: number; deploymentId: number }

export type Rights = { role: Role; scopes: string[] | null }

/**
 * What those of the sessions and tokens which still hold give now, by their place in the list: as at every request, but nothing
 * counts as use.
 */
export async function rightsOf(
  db: { query: IdentityQueryable['query'] },
  credentials: readonly Credential[],
  { idleSince, now, requirement }: { idleSince: Date; now: Date; requirement: Requirement },
): Promise<Map<number, Rights>> {
  const given = credentials.map((each, at) => ({ at, ...each, sessionId: each.sessionId || null }))
  const rows = await db.query<Rights & { at: number }>(sql`select given.at, rights.role, rights.scopes
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given (at integer, "sessionId" uuid, "tokenId" bigint, "personId" bigint, "deploymentId" bigint)
    cross join lateral (
      select membership.role, membership.suspended_at, null::text[] as scopes
      from ${liveSession} join membership on membership.person_id = person.id
      where session.id = given."sessionId" and session.person_id = given."personId"
        and membership.deployment_id = given."deploymentId" and ${sessionReaches}
        and session.revoked_at is null and session.expires_at > ${now}
        and (session.cookie_hash is null or session.used_at > ${idleSince}) and not ${mustSetUpFactor(requirement)}
      union all
      select membership.role, membership.suspended_at, ${narrowed}
      from ${tokenWithOwner}
      where token.deployment_id = given."deploymentId" and token.id = given."tokenId"
        and token.person_id = given."personId" and token.revoked_at is null and token.expires_at > ${now}
    ) rights
    where rights.suspended_at is null`)
  return new Map(rows.map(({ at, role, scopes }) => [at, { role, scopes }]))
}
