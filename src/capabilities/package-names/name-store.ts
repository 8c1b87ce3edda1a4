import sql from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { ClaimedEcosystem } from './contract.ts'

/** A registry that was seen to have names. */
export type OwnerRow = { id: number; ecosystem: ClaimedEcosystem; registryId: number; url: string }
export type NameRow = {
  id: number
  ecosystem: ClaimedEcosystem
  name: string
  registryId: number
  url: string
  seenAt: Date
}
export type SeenName = { ecosystem: ClaimedEcosystem; name: string; spelling: string; registryId: number; url: string }

const ownerColumns = sql`id, ecosystem, registry_id as "registryId", url`

export function owners(db: Queryable): Promise<OwnerRow[]> {
  return db.query(sql`select ${ownerColumns} from package_owner where deployment_id = ${db.deploymentId} order by id`)
}

/** Which of these names belong to whom. */
export function ownersOf(
  db: Queryable,
  ecosystem: ClaimedEcosystem,
  names: string[],
): Promise<{ name: string; ownerId: number }[]> {
  return db.query(sql`select name, owner_id as "ownerId" from owned_package
    where deployment_id = ${db.deploymentId} and ecosystem = ${ecosystem} and name = any(${names})`)
}

/** The newest names of a registry, as they were asked for. */
export async function newestOf(db: Queryable, ownerId: number, most: number): Promise<string[]> {
  const rows = await db.query<{ spelling: string }>(sql`select spelling from owned_package
    where deployment_id = ${db.deploymentId} and owner_id = ${ownerId} order by id desc limit ${most}`)
  return rows.map(({ spelling }) => spelling)
}

/**
 * Whose the name is from now on: who had it before keeps it. A registry is known by its address, so that one whose entry was
 * deleted and made again is the same, or else by its entry, so that one that moved is the same. Undefined where it has as
 * many names as it may.
 */
export async function remember(tx: Transaction, seen: SeenName, most: number): Promise<number | undefined> {
  const { ecosystem, name, spelling } = seen
  const owner = await ownerFor(tx, seen)
  const added = await tx.query(sql`insert into owned_package (deployment_id, ecosystem, name, spelling, owner_id)
    select ${tx.deploymentId}, ${ecosystem}, ${name}, ${spelling}, ${owner.id} where ${owner.names < most}
    on conflict do nothing returning id`)
  if (added.length > 0) {
    await tx.query(sql`update package_owner set names = names + 1
      where deployment_id = ${tx.deploymentId} and id = ${owner.id}`)
    return owner.id
  }
  const [known] = await ownersOf(tx, ecosystem, [name])
  return known?.ownerId
}

async function ownerFor(tx: Transaction, { ecosystem, registryId, url }: SeenName) {
  const [known] = await tx.query<OwnerRow & { names: number }>(sql`select ${ownerColumns}, names from package_owner
    where deployment_id = ${tx.deploymentId} and ecosystem = ${ecosystem} and (url = ${url} or registry_id = ${registryId})
    order by url = ${url} desc, id limit 1`)
  if (known && known.url === url && known.registryId === registryId) return known
  const [row] = known
    ? await tx.query<OwnerRow & { names: number }>(sql`update package_owner
        set url = ${url}, registry_id = ${registryId}
        where deployment_id = ${tx.deploymentId} and id = ${known.id} returning ${ownerColumns}, names`)
    : await tx.query<OwnerRow & { names: number }>(sql`insert into package_owner
        (deployment_id, ecosystem, registry_id, url) values (${tx.deploymentId}, ${ecosystem}, ${registryId}, ${url})
        on conflict (deployment_id, ecosystem, url) do update set registry_id = excluded.registry_id
        returning ${ownerColumns}, names`)
  return row!
}

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest): Promise<NameRow[]> {
  return db.query(sql`select name.id, name.ecosystem, name.spelling as name, name.seen_at as "seenAt",
      owner.registry_id as "registryId", owner.url
    from owned_package name join package_owner owner
      on owner.deployment_id = name.deployment_id and owner.id = name.owner_id
    where name.deployment_id = ${db.deploymentId} and name.id > ${after} order by name.id limit ${size + 1}`)
}

/** How many were forgotten. */
export async function releaseName(tx: Transaction, ecosystem: ClaimedEcosystem, name: string): Promise<number> {
  const gone = await tx.query<{ ownerId: number }>(sql`delete from owned_package
    where deployment_id = ${tx.deploymentId} and ecosystem = ${ecosystem} and name = ${name}
    returning owner_id as "ownerId"`)
  for (const { ownerId } of gone) {
    await tx.query(sql`update package_owner set names = names - 1
      where deployment_id = ${tx.deploymentId} and id = ${ownerId}`)
  }
  return gone.length
}

/** All of a registry, which is forgotten with them. */
export async function releaseOwner(tx: Transaction, ecosystem: ClaimedEcosystem, registryId: number): Promise<number> {
  const gone = await tx.query<{ id: number; names: number }>(sql`delete from package_owner
    where deployment_id = ${tx.deploymentId} and ecosystem = ${ecosystem} and registry_id = ${registryId}
    returning id, names`)
  for (const { id } of gone) {
    await tx.query(sql`delete from owned_package where deployment_id = ${tx.deploymentId} and owner_id = ${id}`)
  }
  return gone.reduce((total, { names }) => total + names, 0)
}

export async function privateNames(db: Queryable, ecosystem: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from owned_package
      where deployment_id = ${db.deploymentId} and ecosystem = ${ecosystem}
    union select pattern from package_claim where deployment_id = ${db.deploymentId} and ecosystem = ${ecosystem}
      and right(pattern, 1) <> '*'
    order by name limit ${limit}`)
  return rows.map(({ name }) => name)
}
