import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import {
  changeProvisionedAccount,
  createProvisionedAccount,
  endSessionsOfMember,
  enroll,
  findMember,
  removeMember,
  removeUnusedAccount,
  restoreMember,
  suspendMember,
} from '../../people/public.ts'
import { joinDefaultTeams } from '../../teams/public.ts'
import { lockEnabled } from '../settings.ts'
import type { SettingsRow } from '../store.ts'
import type { Filter } from './filter.ts'
import { holdGovernedTeams, settle } from './group-rules.ts'
import { readPatch } from './patch.ts'
import { requireTag } from './resource.ts'
import { taken } from './scim-fault.ts'
import { patchUser, readUser, shownName, type UserAttributes } from './user-attributes.ts'
import * as store from './user-store.ts'

/** How somebody whose address has an account elsewhere is asked in, and asked out again. */
export type Inviting = {
  inviteIn(
    tx: Transaction,
    wanted: { email: string; name: string; role: 'readonly' | 'member' | 'admin' },
  ): Promise<void>
  withdrawIn(tx: Transaction, email: string): Promise<void>
}

export type UserService = ReturnType<typeof createUsers>

/** The people that a directory has provisioned. It sees and changes these alone, and of them the membership. */
export function createUsers({ db, clock, inviting }: { db: Database; clock: Clock; inviting: Inviting }) {
  async function list(actor: Actor, filter: Filter, page: { offset: number; limit: number }) {
    const reader = db.as(actor)
    const [rows, total] = await Promise.all([store.list(reader, filter, page), store.count(reader, filter)])
    return { rows, total }
  }

  async function get(actor: Actor, id: string): Promise<store.UserWithGroups> {
    const row = await store.find(db.as(actor), store.idOf(id))
    if (!row) throw notFound(id)
    return row
  }

  function create(actor: Actor, body: unknown): Promise<store.UserWithGroups> {
    const user = readUser(body)
    return db.transaction(actor, async (tx) => {
      const settings = await lockEnabled(tx)
      await holdGovernedTeams(tx)
      const id = await store.insert(tx, user, clock.now())
      if (id === undefined) throw taken(`There is a user '${user.userName}', or one with the address ${user.address}.`)
      const outcome = await arrive(tx, id, user, settings)
      await settle(tx, [id], settings.default_role)
      const { userName, address, active } = user
      tx.audit({
        action: 'provisioning.user-create',
        target: targetOf(id),
        detail: { userName, address, active, outcome },
      })
      return (await store.find(tx, id))!
    })
  }

  function replace(actor: Actor, id: string, body: unknown, ifMatch: string | undefined) {
    return change(actor, id, ifMatch, (before) => readUser(body, before))
  }

  function patch(actor: Actor, id: string, body: unknown, ifMatch: string | undefined) {
    const changes = readPatch(body)
    return change(actor, id, ifMatch, (before) => patchUser(before, changes))
  }

  async function change(
    actor: Actor,
    given: string,
    ifMatch: string | undefined,
    next: (before: UserAttributes) => UserAttributes,
  ): Promise<store.UserWithGroups> {
    const { row, after } = await db.transaction(actor, async (tx) => {
      const settings = await lockEnabled(tx)
      await holdGovernedTeams(tx)
      const known = await read(tx, given, ifMatch)
      const before = store.attributesOf(known)
      const after = next(before)
      if (!isDeepStrictEqual(before, after)) await apply(tx, known, before, after, settings)
      return { row: await read(tx, given), after }
    })
    await settleAccount(actor, row, after)
    return row
  }

  async function apply(
    tx: Transaction,
    { id, person_id: personId }: store.UserRow,
    before: UserAttributes,
    after: UserAttributes,
    settings: SettingsRow,
  ): Promise<void> {
    if (await store.isTaken(tx, id, after)) throw taken(`Another user is '${after.userName}' or has ${after.address}.`)
    await store.update(tx, id, after, clock.now())
    const fields = (Object.keys(after) as (keyof UserAttributes)[]).filter(
      (key) => !isDeepStrictEqual(before[key], after[key]),
    )
    tx.audit({ action: 'provisioning.user-update', target: targetOf(id), detail: { fields } })
    if (personId === null) {
      await inviting.withdrawIn(tx, before.address)
      await arrive(tx, id, after, settings)
    } else if (before.active && !after.active) await suspendMember(tx, personId, clock.now())
    else if (!before.active && after.active) await restoreMember(tx, personId)
    await settle(tx, [id], settings.default_role)
  }

  /**
   * Who has this address comes in: as the member they are already, with an account that is made for them, or, where the address
   * has an account that is not this deployment's to give away, by an invitation that its owner accepts.
   */
  async function arrive(
    tx: Transaction,
    id: number,
    user: UserAttributes,
    settings: SettingsRow,
  ): Promise<'member' | 'account' | 'invitation' | 'none'> {
    const member = await findMember(tx, user.address)
    if (member !== undefined) {
      await store.link(tx, id, member, false)
      if (!user.active) await suspendMember(tx, member, clock.now())
      return 'member'
    }
    if (!user.active) return 'none'
    const account = await createProvisionedAccount(tx, id, shownName(user))
    if (account === undefined) {
      const role = settings.default_role
      await inviting.inviteIn(tx, { email: user.address, name: shownName(user), role })
      return 'invitation'
    }
    await inviting.withdrawIn(tx, user.address)
    await enroll(tx, account, settings.default_role)
    await store.link(tx, id, account, true)
    await joinDefaultTeams(tx, account)
    return 'account'
  }

  /**
   * What lies outside of the deployment comes after it, and only where the account belongs nowhere else. Also where nothing has
   * changed here: it may be the repetition of a request after which the process ended before it got this far.
   */
  async function settleAccount({ deploymentId }: Actor, row: store.UserRow, user: UserAttributes): Promise<void> {
    const { person_id: personId, made_account: isOurs } = row
    if (personId === null) return
    if (!user.active) await endSessionsOfMember(db, personId, deploymentId)
    if (!isOurs) return
    await changeProvisionedAccount(db, { personId, deploymentId, email: user.address, name: shownName(user) })
  }

  async function remove(actor: Actor, given: string, ifMatch: string | undefined): Promise<void> {
    const row = await db.transaction(actor, async (tx) => {
      await lockEnabled(tx)
      const known = await read(tx, given, ifMatch)
      const { id, person_id: personId, user_name: userName, address } = known
      if (personId === null) await inviting.withdrawIn(tx, address)
      else await removeMember(tx, personId)
      await store.remove(tx, id)
      tx.audit({ action: 'provisioning.user-delete', target: targetOf(id), detail: { userName, address } })
      return known
    })
    if (row.person_id !== null && row.made_account) await removeUnusedAccount(db, row.person_id)
  }

  return { list, get, create, replace, patch, remove }
}

/** Not locked: the lock on the settings keeps other requests of the directory away, and memberships come before it. */
async function read(tx: Transaction, given: string, ifMatch?: string): Promise<store.UserWithGroups> {
  const row = await store.find(tx, store.idOf(given))
  if (!row) throw notFound(given)
  requireTag(ifMatch, row.version)
  return row
}

function notFound(id: string): Fault {
  return new Fault('not_found', `No user ${id.slice(0, 100)}.`)
}

function targetOf(id: number): string {
  return `provisioned-user:${id}`
}
