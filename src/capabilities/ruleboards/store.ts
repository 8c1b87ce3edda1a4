import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'
import type { RuleboardType } from './contract.ts'

/** `assigned` holds the names of the repositories it claims that the actor sees, null for none. */
export type ListedRow = { name: string; slug: string; is_default: boolean; assigned: string[] | null }
export type RuleboardRow = ListedRow & { id: number; version: number; type: RuleboardType }

// As JSON, which the driver reads in about half the time of PostgreSQL's arrays.
const names = sql`json_agg(r.name order by r.name collate "C")`
const claims = sql`ruleboard_repository claim
  join repository r on r.deployment_id = claim.deployment_id and r.id = claim.repository_id`

/** The names of all boards are gathered in one pass, which costs less than a subquery for each board. */
export function list(db: Queryable, actor: Actor, type: RuleboardType | undefined): Promise<ListedRow[]> {
  const ofType = type === undefined ? empty : sql`and b.type = ${type}`
  return db.query(sql`select b.name, b.slug, b.is_default, claimed.assigned from ruleboard b
    left join (select claim.ruleboard_id, ${names} as assigned from ${claims}
      where claim.deployment_id = ${db.deploymentId} and ${visibleTo(actor, sql`claim.repository_id`)}
      group by claim.ruleboard_id) claimed on claimed.ruleboard_id = b.id
    where b.deployment_id = ${db.deploymentId} ${ofType} order by b.id`)
}

export async function find(db: Queryable, actor: Actor, slug: string): Promise<RuleboardRow | undefined> {
  const [row] = await db.query<RuleboardRow>(sql`select b.id, b.name, b.slug, b.is_default, b.version, b.type,
    (select ${names} from ${claims} where claim.deployment_id = b.deployment_id and claim.ruleboard_id = b.id
      and ${visibleTo(actor, sql`claim.repository_id`)}) as assigned
    from ruleboard b where b.deployment_id = ${db.deploymentId} and b.slug = ${slug}`)
  return row
}

export type Claim = { repository: string; boardId: number; name: string }

/** Which boards of the type claim these repositories. */
export function listClaims(
  db: Queryable,
  actor: Actor,
  type: RuleboardType,
  repositories: readonly string[],
): Promise<Claim[]> {
  return db.query(sql`select r.name as repository, b.id as "boardId", b.name
    from repository r
    cross join lateral (select claim.ruleboard_id from ruleboard_repository claim
      where claim.deployment_id = ${db.deploymentId} and claim.repository_id = r.id offset 0) claim
    join ruleboard b on b.deployment_id = ${db.deploymentId} and b.id = claim.ruleboard_id and b.type = ${type}
    where r.deployment_id = ${db.deploymentId} and r.name = any(${[...repositories]}::text[])
      and ${visibleTo(actor, sql`r.id`)}`)
}

export async function getDefault(db: Queryable, type: RuleboardType): Promise<{ name: string }> {
  const [row] = await db.query<{ name: string }>(sql`select b.name from ruleboard b
    where b.deployment_id = ${db.deploymentId} and b.type = ${type} and b.is_default`)
  return row!
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, slug: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select id from ruleboard where deployment_id = ${tx.deploymentId} and slug = ${slug} for update`,
  )
  return rows.length > 0
}

export type NewBoard = { name: string; slug: string; type: RuleboardType; isDefault: boolean }

/** Undefined where the slug is taken. */
export async function insert(tx: Transaction, board: NewBoard): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into ruleboard (deployment_id, type, name, slug, is_default)
    values (${tx.deploymentId}, ${board.type}, ${board.name}, ${board.slug}, ${board.isDefault})
    on conflict (deployment_id, slug) do nothing returning id`)
  return row?.id
}

export async function rename(tx: Transaction, id: number, name: string): Promise<void> {
  await tx.query(sql`update ruleboard set name = ${name}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function assign(tx: Transaction, id: number, repositoryIds: number[]): Promise<void> {
  await tx.query(sql`delete from ruleboard_repository
    where deployment_id = ${tx.deploymentId} and ruleboard_id = ${id} and repository_id <> all(${repositoryIds}::bigint[])`)
  await tx.query(sql`insert into ruleboard_repository (deployment_id, ruleboard_id, repository_id)
    select ${tx.deploymentId}::bigint, ${id}::bigint, given.id from unnest(${repositoryIds}::bigint[]) as given (id)
    on conflict do nothing`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from ruleboard where deployment_id = ${tx.deploymentId} and id = ${id}`)
}
