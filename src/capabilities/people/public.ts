import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Person } from './contract.ts'
import { endMembership } from './member.ts'
import { belongsOnlyTo, lockPerson } from './resets/reset-store.ts'
import { toPerson } from './service.ts'
import {
  find,
  findAccount,
  findAccountById,
  findMember,
  insertFirstAccount,
  insertMembership,
  isAwaited,
  isShutOut,
  keepFormerMember,
  lockMemberRole,
  lockRoles,
  updateRole,
} from './store.ts'

export { removeMember, restoreMember, revokeSentInvitations, setRoles, suspendMember } from './member.ts'
export { derivations, hashPassword, isPassword, nobodysHash, verifyPassword } from './passwords/password.ts'
export { isWeak, weakness } from './passwords/weak-password.ts'
export {
  changeProvisionedAccount,
  createProgramAccount,
  createProvisionedAccount,
  endSessionsOfMember,
  removeUnusedAccount,
} from './provisioned-accounts.ts'
export {
  belongsOnlyTo,
  findAccount,
  findAccountById,
  findMember,
  insertFirstAccount,
  isAwaited,
  isShutOut,
  keepFormerMember,
  lockPerson as lockAccount,
}

export async function noteSignIn(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`update person set last_sign_in_at = now() where id = ${personId}`)
}

export function enroll(tx: Transaction, personId: number, role: Role): Promise<boolean> {
  return insertMembership(tx, personId, role)
}

/** The role of a member, held until the transaction ends. */
export function roleOf(tx: Transaction, personId: number): Promise<Role | undefined> {
  return lockMemberRole(tx, personId)
}

/** What a person or a service account of the deployment is called where one name has to do: an address is not somebody else's too. */
export async function accountName(db: Queryable, personId: number): Promise<string> {
  const [row] = await db.query<{
    name: string
  }>(sql`select case when person.is_service then person.name else person.email end as name
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and membership.person_id = ${personId}`)
  return row?.name ?? `person-${personId}`
}

export async function isSuspended(tx: Transaction, personId: number): Promise<boolean> {
  return (await find(tx, personId))?.suspended_at != null
}

/** False where a deployment would be left without an owner: then the role stays. */
export async function moveToRole(tx: Transaction, personId: number, role: Role): Promise<boolean> {
  if (await isLastOwner(tx, personId)) return false
  await updateRole(tx, personId, role)
  return true
}

/** Takes a person out, and out of all teams. False where a deployment would be left without an owner. */
export async function leaveDeployment(tx: Transaction, personId: number): Promise<boolean> {
  if (await isLastOwner(tx, personId)) return false
  await endMembership(tx, personId)
  return true
}

async function isLastOwner(tx: Transaction, personId: number): Promise<boolean> {
  const owners = (await lockRoles(tx)).filter(({ role, suspended }) => role === 'owner' && !suspended)
  return owners.length === 1 && owners[0]!.person_id === personId
}

/** Whether one deployment may decide about the whole account, and nobody changes that until the transaction ends. */
export async function lockIfOnlyIn(db: IdentityQueryable, personId: number, deploymentId: number): Promise<boolean> {
  await lockPerson(db, personId)
  return belongsOnlyTo(db, personId, deploymentId)
}

/**
 * The same for a provider of the whole instance: whoever belongs to its deployment, wherever else, but not those who run it. An
 * account that other deployments alone know may have been made there in advance, by somebody who still has its password.
 */
export async function lockIfIn(db: IdentityQueryable, personId: number, deploymentId: number): Promise<boolean> {
  await lockPerson(db, personId)
  const rows = await db.query(sql`select 1 from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${deploymentId} and person.id = ${personId} and not person.operator`)
  return rows.length > 0
}

export async function findPerson(db: Queryable, personId: number): Promise<Person | undefined> {
  const row = await find(db, personId)
  return row && toPerson(row)
}
