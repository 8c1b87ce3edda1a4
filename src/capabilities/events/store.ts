import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Role } from '../../kernel/access/permission.ts'
import type { ChangeName } from '../../kernel/changes/change.ts'
import type { IdentityQueryable, Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'

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

/** The roles that those of the sessions and tokens give which still hold, by their place in the list. Nothing counts as use. */
export async function rolesOf(
  db: { query: IdentityQueryable['query'] },
  credentials: readonly Credential[],
  idleSince: Date,
  now: Date,
): Promise<Map<number, Role>> {
  const given = credentials.map((each, at) => ({ at, ...each, sessionId: each.sessionId || null }))
  const rows = await db.query<{ at: number; role: Role }>(sql`select given.at, m.role
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given (at integer, "sessionId" uuid, "tokenId" bigint, "personId" bigint, "deploymentId" bigint)
    cross join lateral (select m.role from membership m
      where m.deployment_id = given."deploymentId" and m.person_id = given."personId" and m.suspended_at is null offset 0) m
    where exists (select 1 from session s where s.id = given."sessionId" and s.person_id = given."personId"
        and s.revoked_at is null and s.expires_at > ${now}
        and (s.cookie_hash is null or s.used_at > ${idleSince}))
      or exists (select 1 from api_token t where t.deployment_id = given."deploymentId" and t.id = given."tokenId"
        and t.revoked_at is null and t.expires_at > ${now})`)
  return new Map(rows.map(({ at, role }) => [at, role]))
}
