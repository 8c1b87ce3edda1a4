import type { Transaction } from '../../../kernel/database/database.ts'
import { enroll, isSuspended, leaveDeployment, moveToRole, roleOf } from '../../people/public.ts'
import { holdTeamsWithThoseOf, joinDefaultTeams, settleTeamMembers } from '../../teams/public.ts'
import { isBreakGlassOwner } from '../store.ts'
import type { Granted } from './granted.ts'

export type Settled = 'in' | 'no group' | 'suspended'

/**
 * Makes membership and teams what the provider says now. What it says nothing about stays: other teams, and where no group has
 * a role, the roles of those who are members already. Whoever is suspended stays as they are.
 */
export async function settle(tx: Transaction, personId: number, granted: Granted): Promise<Settled> {
  // Teams before memberships, in the one order of locks.
  await holdTeamsWithThoseOf(tx, personId, granted.managedTeams)
  const current = await roleOf(tx, personId)
  if (await isSuspended(tx, personId)) return 'suspended'
  if (!(await settleRole(tx, personId, current, granted))) return 'no group'
  const { joined, left } = await settleTeamMembers(tx, granted.managedTeams, [{ personId, teamIds: granted.teams }])
  if (joined.length + left.length > 0) {
    tx.audit({ action: 'person.groups', target: `person:${personId}`, detail: { joined, left } })
  }
  return 'in'
}

async function settleRole(
  tx: Transaction,
  personId: number,
  current: Awaited<ReturnType<typeof roleOf>>,
  { role, followsGroups }: Granted,
): Promise<boolean> {
  const target = `person:${personId}`
  if (current === undefined) {
    if (role === undefined) return false
    await enroll(tx, personId, role)
    await joinDefaultTeams(tx, personId)
    tx.audit({ action: 'person.join', target, detail: { role, by: 'sign-in-provider' } })
    return true
  }
  if (!followsGroups || role === current || (await isBreakGlassOwner(tx, personId))) return true
  if (role === undefined) {
    if (!(await leaveDeployment(tx, personId))) return true
    tx.audit({ action: 'person.remove', target, detail: { by: 'sign-in-provider' } })
    return false
  }
  const moved = await moveToRole(tx, personId, role)
  if (moved) tx.audit({ action: 'person.role', target, detail: { from: current, to: role, by: 'sign-in-provider' } })
  return true
}
