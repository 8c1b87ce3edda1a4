import type { Role } from '../../kernel/access/permission.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import { refuseBreakGlassOwner } from '../sign-in-providers/public.ts'
import { holdTeamsOf, leaveAllTeams } from '../teams/public.ts'
import { removeSentBy } from './invitations/invitation-store.ts'
import * as store from './store.ts'

export type HeldMember = { role: Role; version: number; suspended: boolean; owners: number }

/** With all memberships held, so that nobody else changes who owns the deployment. Who is suspended does not count as one. */
export async function lockMember(tx: Transaction, personId: number): Promise<HeldMember> {
  const members = await store.lockRoles(tx)
  const found = members.find((member) => member.person_id === personId)
  if (!found) throw new Fault('not_found', `No person ${personId} in this deployment.`)
  return { ...found, owners: members.filter(({ role, suspended }) => role === 'owner' && !suspended).length }
}

export function refuseLastOwner({ role, suspended, owners }: HeldMember): void {
  if (role === 'owner' && !suspended && owners === 1) {
    throw new Fault('conflict', 'A deployment needs an owner; make somebody else one first.')
  }
}

/** From now on no session and no token of theirs reaches the deployment. The rest of the membership stays. */
export async function suspendMember(tx: Transaction, personId: number, now: Date): Promise<void> {
  const member = await lockMember(tx, personId)
  if (member.suspended) return
  refuseLastOwner(member)
  await refuseBreakGlassOwner(tx, personId)
  await store.setSuspended(tx, personId, now)
  tx.audit({ action: 'person.suspend', target: `person:${personId}` })
}

export async function restoreMember(tx: Transaction, personId: number): Promise<void> {
  if (!(await lockMember(tx, personId)).suspended) return
  await store.setSuspended(tx, personId, null)
  tx.audit({ action: 'person.restore', target: `person:${personId}` })
}

export async function endMembership(tx: Transaction, personId: number): Promise<void> {
  await leaveAllTeams(tx, personId)
  await revokeSentInvitations(tx, personId)
  await store.deleteMembership(tx, personId)
}

/** They would go with the membership of who sent them, and the log would not say so. */
export async function revokeSentInvitations(tx: Transaction, personId: number): Promise<void> {
  for (const { id, email } of await removeSentBy(tx, personId)) {
    tx.audit({ action: 'invitation.revoke', target: `invitation:${id}`, detail: { email, inviterLeft: personId } })
  }
}

export async function removeMember(tx: Transaction, personId: number): Promise<void> {
  await holdTeamsOf(tx, personId)
  refuseLastOwner(await lockMember(tx, personId))
  await refuseBreakGlassOwner(tx, personId)
  await endMembership(tx, personId)
  tx.audit({ action: 'person.remove', target: `person:${personId}` })
}

/** By somebody who is not a person: `by` says what. Owners are left alone. */
export async function setRoles(
  tx: Transaction,
  wanted: readonly { personId: number; role: Role }[],
  by: string,
): Promise<void> {
  for (const { personId, from, to } of await store.updateRoles(tx, wanted)) {
    tx.audit({ action: 'person.role', target: `person:${personId}`, detail: { from, to, by } })
  }
}
