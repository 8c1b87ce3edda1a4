import sql from 'sql-template-tag'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { passMemoryGate } from './memory-gate.ts'
import { tagNames } from './tag-names.ts'

/**
 * The repository that stands for the clients of the malware firewall: what they were given and should not have been are
 * findings, and findings belong to a repository. It holds no code. There is at most one, whatever a person calls it.
 */
export type PackageClients = { id: number; name: string; tags: string[] }

/** The branch that its findings are on; its default branch unless a person says otherwise. */
export const clientsRef = 'clients'

const firstName = 'gatehouse/package-clients'
const isClients = sql`r.kind = 'package-clients'`

/** Names that it may come to have: nobody who might not see it gets to know by them whether it is there. */
export function isReserved(name: string): boolean {
  return name.startsWith(firstName)
}

/** Under a name of its own choice; under another one it is as hidden as any. */
export const isReservedRepository = sql`(${isClients} and starts_with(r.name, ${firstName}))`

export async function arePackageClients(db: Queryable, repositoryId: number): Promise<boolean> {
  const rows = await db.query(sql`select from repository r
    where r.deployment_id = ${db.deploymentId} and r.id = ${repositoryId} and ${isClients}`)
  return rows.length > 0
}

/** Owners and admins do, others once it is in a team of theirs. */
export async function seesPackageClients(db: Queryable, actor: Actor): Promise<boolean> {
  if (seesEverything(actor)) return true
  if (actor.bound) return false
  const rows = await db.query(sql`select from repository r
    join visible_repository visible on visible.deployment_id = r.deployment_id and visible.repository_id = r.id
    where r.deployment_id = ${db.deploymentId} and ${isClients} and visible.person_id = ${actor.personId}`)
  return rows.length > 0
}

/** Held until the transaction ends. Undefined where it was not needed yet, or a person has deleted it. */
export async function lockPackageClients(tx: Transaction): Promise<PackageClients | undefined> {
  const those = sql`r.deployment_id = ${tx.deploymentId} and ${isClients}`
  const held = tx.query(sql`select from repository r where ${those} for no key update of r`)
  const found = tx.query<PackageClients>(sql`select r.id, r.name, ${tagNames} as tags from repository r where ${those}`)
  const [, [row]] = await Promise.all([held, found])
  return row
}

/** The same, made where it is missing: in no team, because who fetched what is for owners and admins to show around. */
export async function ensurePackageClients(tx: Transaction): Promise<PackageClients> {
  for (let attempt = 1; ; attempt++) {
    const found = await lockPackageClients(tx)
    if (found) return found
    // People may have a repository of that name already.
    const name = attempt === 1 ? firstName : `${firstName}-${attempt}`
    const [, [made]] = await Promise.all([
      passMemoryGate(tx),
      tx.query<{ id: number }>(sql`insert into repository (deployment_id, name, kind, default_branch)
        values (${tx.deploymentId}, ${name}, 'package-clients', ${clientsRef}) on conflict do nothing returning id`),
    ])
    if (made) tx.audit({ action: 'repository.create', target: `repository:${made.id}`, detail: { name } })
  }
}

/** Something new is in it: who has put it away gets to see it again. */
export async function unarchivePackageClients(tx: Transaction, id: number): Promise<void> {
  const rows = await tx.query(sql`update repository r set archived = false, version = r.version + 1
    where r.deployment_id = ${tx.deploymentId} and r.id = ${id} and r.archived returning r.id`)
  const detail = { archived: false }
  if (rows.length > 0) tx.audit({ action: 'repository.update', target: `repository:${id}`, detail })
}
