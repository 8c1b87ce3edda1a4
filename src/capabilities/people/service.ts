import { type Actor, requireSignedInPerson } from '../../kernel/access/actor.ts'
import type { Role } from '../../kernel/access/permission.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { refuseBreakGlassOwner } from '../sign-in-providers/public.ts'
import { holdTeamsOf } from '../teams/public.ts'
import type { FormerPerson, PeopleQuery, Person } from './contract.ts'
import { endMembership, lockMember, refuseLastOwner } from './member.ts'
import * as store from './store.ts'

export function createPeopleService(db: Database) {
  async function list(actor: Actor, { text }: PeopleQuery): Promise<{ people: Person[]; total: number }> {
    const rows = await store.list(db.as(actor), text)
    const shown = actor.permissions.has('people:write') ? toPerson : hideFactor
    return { people: rows.map(shown), total: rows.length }
  }

  async function listFormer(actor: Actor): Promise<{ people: FormerPerson[] }> {
    const rows = await store.listFormer(db.as(actor))
    return {
      people: rows.map(({ left_at, is_back, ...known }) => ({
        ...known,
        leftAt: left_at.toISOString(),
        isBack: is_back,
      })),
    }
  }

  function changeRole(actor: Actor, personId: number, role: Role): Promise<Person> {
    return db.transaction(actor, async (tx) => {
      const current = await lockMember(tx, personId)
      requireVersion(actor, current.version)
      refuseOwnersToAdmins(actor, role)
      refuseOwnersToAdmins(actor, current.role)
      if (role === 'owner') requireSignedInPerson(actor, 'Making an owner')
      if (role !== 'owner') {
        refuseLastOwner(current)
        await refuseBreakGlassOwner(tx, personId)
      }
      await store.updateRole(tx, personId, role)
      tx.audit({ action: 'person.role', target: `person:${personId}`, detail: { from: current.role, to: role } })
      return get(tx, personId)
    })
  }

  function remove(actor: Actor, personId: number): Promise<Person> {
    return db.transaction(actor, async (tx) => {
      await holdTeamsOf(tx, personId)
      const current = await lockMember(tx, personId)
      requireVersion(actor, current.version)
      refuseOwnersToAdmins(actor, current.role)
      refuseLastOwner(current)
      await refuseBreakGlassOwner(tx, personId)
      const person = await get(tx, personId)
      await endMembership(tx, personId)
      tx.audit({ action: 'person.remove', target: `person:${personId}`, detail: { email: person.email } })
      return person
    })
  }

  return { list, listFormer, changeRole, remove }
}

/** An admin could otherwise make themselves an owner by way of another account. */
function refuseOwnersToAdmins(actor: Actor, role: Role): void {
  if (role === 'owner' && actor.role !== 'owner') throw new Fault('forbidden', 'Only owners decide who is an owner.')
}

async function get(tx: Transaction, personId: number): Promise<Person> {
  const row = await store.find(tx, personId)
  if (!row) throw new Fault('not_found', `No person ${personId} in this deployment.`)
  return toPerson(row)
}

/** Who is easier to take over is nobody's business but that of who can change it. */
function hideFactor(row: store.MemberRow): Person {
  return withVersion({ ...toPerson(row), secondFactor: null }, row.version)
}

export function toPerson(row: store.MemberRow): Person {
  const { id, email, name, role } = row
  const person = {
    id,
    email,
    name,
    role,
    createdAt: row.created_at.toISOString(),
    lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    secondFactor: row.second_factor,
  }
  return withVersion(person, row.version)
}
