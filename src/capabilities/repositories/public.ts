import sql, { type Sql } from 'sql-template-tag'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { joinTeamsWithRepository, mayBring, settleTeamsAtEnd } from '../teams/public.ts'
import { passMemoryGate } from './memory-gate.ts'
import { isReserved, isReservedRepository } from './package-clients.ts'

export {
  arePackageClients,
  clientsRef,
  ensurePackageClients,
  lockPackageClients,
  seesPackageClients,
  unarchivePackageClients,
} from './package-clients.ts'
export { tagNames } from './tag-names.ts'

const everything = sql`true`

/** The id of the repository that has a name, or else of the one that had it before. */
function idOfName(deploymentId: number, name: string): Sql {
  return sql`coalesce(
    (select own.id from repository own where own.deployment_id = ${deploymentId} and own.name = ${name}),
    (select former.repository_id from former_repository_name former
      where former.deployment_id = ${deploymentId} and former.name = ${name}))`
}

/** A condition that holds for the repositories the actor sees, to be put into any query; `column` holds their ids. */
export function visibleTo(actor: Actor, column: Sql): Sql {
  if (seesEverything(actor)) return everything
  // A CI job sees the repository that its token is for, whatever else its account sees.
  if (actor.bound) {
    return sql`${column} in (select bound.id from repository bound where bound.deployment_id = ${actor.deploymentId}
      and bound.id = ${idOfName(actor.deploymentId, actor.bound.repository)} and bound.kind = 'code')`
  }
  return sql`${column} in (select visible.repository_id from visible_repository visible
    where visible.deployment_id = ${actor.deploymentId} and visible.person_id = ${actor.personId})`
}

export type NamedRepository = { id: number; name: string }

/**
 * The repositories with these names, kept from being deleted until the transaction ends. Those that do not exist and
 * those that the actor may not see are refused alike; `pointer` says where in the request the name at an index stands.
 */
export async function named(
  tx: Transaction,
  actor: Actor,
  names: readonly string[],
  pointer?: (index: number) => string,
): Promise<NamedRepository[]> {
  const rows = await tx.query<NamedRepository>(sql`select r.id, r.name from repository r
    where r.deployment_id = ${tx.deploymentId} and r.name = any(${names}::text[]) and ${visibleTo(actor, sql`r.id`)}
    order by r.id for key share of r`)
  const known = new Set(rows.map((row) => row.name))
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    const errors = pointer ? names.flatMap((name, at) => (known.has(name) ? [] : [notKnown(pointer(at), name)])) : []
    throw new Fault('unknown_repository', unknownRepositories(unknown), { errors })
  }
  return rows
}

/** Those of the ids that are repositories the actor sees, kept from being deleted until the transaction ends. */
export async function withIds(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.query<{ id: number }>(sql`select r.id from repository r
    where r.deployment_id = ${tx.deploymentId} and r.id = any(${ids}::bigint[]) and ${visibleTo(actor, sql`r.id`)}
    order by r.id for key share of r`)
  return new Set(rows.map((row) => row.id))
}

export type FoundRepository = { id: number; name: string; defaultBranch: string }

/** Held until the transaction ends: whoever else wants to change what is known about this repository waits. Also by a former name. */
export async function lockNamed(tx: Transaction, actor: Actor, name: string): Promise<FoundRepository | undefined> {
  const [row] = await tx.query<FoundRepository>(sql`
    select r.id, r.name, r.default_branch as "defaultBranch" from repository r
    where r.deployment_id = ${tx.deploymentId} and r.id = ${idOfName(tx.deploymentId, name)} and ${visibleTo(actor, sql`r.id`)}
    for no key update of r`)
  return row
}

/** The repository that has or had that name, where there is one that the actor sees. */
export async function findNamed(db: Queryable, actor: Actor, name: string): Promise<FoundRepository | undefined> {
  const [row] = await db.query<FoundRepository>(sql`
    select r.id, r.name, r.default_branch as "defaultBranch" from repository r
    where r.deployment_id = ${db.deploymentId} and r.id = ${idOfName(db.deploymentId, name)} and ${visibleTo(actor, sql`r.id`)}`)
  return row
}

/**
 * Whether the actor may find out that a name is free, by creating a repository of it. Not while anything is hidden from them:
 * a name that cannot be created would be the name of something that they do not see. Of the names that a team of theirs
 * claims nothing is hidden: every repository of such a name is in the team.
 */
export async function mayClaim(db: Queryable, actor: Actor, name: string): Promise<boolean> {
  if (seesEverything(actor)) return true
  if (isReserved(name)) return false
  // Its CI system has signed that this is its repository.
  if (actor.bound) return name === actor.bound.repository
  if (await mayBring(db, actor.personId, name)) return true
  const hidden = await db.query(sql`select from repository r where r.deployment_id = ${db.deploymentId}
    and not ${visibleTo(actor, sql`r.id`)} and not ${isReservedRepository} limit 1`)
  return hidden.length === 0
}

export async function isDefaultBranch(db: Queryable, id: number, ref: string): Promise<boolean> {
  const rows = await db.query(sql`select from repository
    where deployment_id = ${db.deploymentId} and id = ${id} and default_branch = ${ref}`)
  return rows.length > 0
}

export type RepositoryFields = { name: string; archived: boolean; publiclyExposed: boolean; defaultBranch: string }

/** What a new repository will be known by: whoever knows it beforehand sends all that makes one together. */
export async function nextRepositoryId(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`select nextval('repository_id_seq') as id`)
  return row!.id
}

/** A new repository, in the teams that are the default for new ones. False where the name is taken. */
export async function create(tx: Transaction, id: number, fields: RepositoryFields): Promise<boolean> {
  const [, made, joined] = await Promise.all([
    passMemoryGate(tx),
    tx.query(sql`insert into repository (deployment_id, id, name, archived, publicly_exposed, default_branch)
      overriding system value
      values (${tx.deploymentId}, ${id}, ${fields.name}, ${fields.archived}, ${fields.publiclyExposed}, ${fields.defaultBranch})
      on conflict (deployment_id, name) do nothing returning 1 as made`),
    joinTeamsWithRepository(tx, id),
    // After the name itself is held, as where one is renamed.
    forgetFormerName(tx, fields.name),
  ])
  if (made.length === 0) return false
  settleTeamsAtEnd(tx, id, joined)
  tx.audit({ action: 'repository.create', target: `repository:${id}`, detail: { name: fields.name } })
  return true
}

/** It is the name of another repository from now on. */
export async function forgetFormerName(tx: Transaction, name: string): Promise<void> {
  await tx.query(sql`delete from former_repository_name where deployment_id = ${tx.deploymentId} and name = ${name}`)
}

export function unknownRepositories(unknown: readonly (string | number)[]): string {
  const shown = [...new Set(unknown)].map((one) => (typeof one === 'number' ? one : `'${one}'`)).join(', ')
  return unknown.length === 1 ? `No repository ${shown}.` : `No repositories ${shown}.`
}

function notKnown(pointer: string, name: string) {
  return { pointer, detail: `no repository '${name}'` }
}
