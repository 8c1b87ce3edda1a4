import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { lockEnabled } from '../settings.ts'
import type { Filter } from './filter.ts'
import { holdGovernedTeams, settle } from './group-rules.ts'
import * as store from './group-store.ts'
import { type Change, fieldOf, readPatch } from './patch.ts'
import { requireTag } from './resource.ts'
import { ScimFault, taken } from './scim-fault.ts'
import { idOf, known } from './user-store.ts'

export type GroupWithMembers = { row: store.GroupRow; members: store.GroupMember[] }
type Wanted = store.GroupAttributes & { members: Set<number> }

const longestName = 320
const mostMembers = 10_000

export type GroupService = ReturnType<typeof createGroups>

/** The groups of a directory. What being in one gives is said by the rules of the deployment. */
export function createGroups({ db, clock }: { db: Database; clock: Clock }) {
  async function list(actor: Actor, filter: Filter, page: { offset: number; limit: number }, withMembers: boolean) {
    const reader = db.as(actor)
    const [rows, total] = await Promise.all([store.list(reader, filter, page), store.count(reader, filter)])
    const ids = rows.map(({ id }) => id)
    const members = withMembers ? await store.membersOf(reader, ids) : []
    const groups = rows.map((row) => ({ row, members: members.filter(({ group_id }) => group_id === row.id) }))
    return { groups, total }
  }

  async function get(actor: Actor, id: string, withMembers: boolean): Promise<GroupWithMembers> {
    const row = await store.find(db.as(actor), idOf(id))
    if (!row) throw notFound(id)
    return { row, members: withMembers ? await store.membersOf(db.as(actor), [row.id]) : [] }
  }

  function create(actor: Actor, body: unknown): Promise<GroupWithMembers> {
    const wanted = readGroup(body)
    return db.transaction(actor, async (tx) => {
      const settings = await lockEnabled(tx)
      await holdGovernedTeams(tx)
      await requireKnown(tx, wanted.members)
      const id = await store.insert(tx, wanted, clock.now())
      if (id === undefined) throw taken(`There is a group '${wanted.displayName}'.`)
      await store.setMembers(tx, id, { add: [...wanted.members], remove: [] })
      await settle(tx, [...wanted.members], settings.default_role)
      const detail = { displayName: wanted.displayName, members: wanted.members.size }
      tx.audit({ action: 'provisioning.group-create', target: targetOf(id), detail })
      return whole(tx, id)
    })
  }

  function replace(actor: Actor, id: string, body: unknown, ifMatch: string | undefined): Promise<GroupWithMembers> {
    return change(actor, id, ifMatch, (before) => readGroup(body, before))
  }

  function patch(actor: Actor, id: string, body: unknown, ifMatch: string | undefined): Promise<GroupWithMembers> {
    const changes = readPatch(body)
    return change(actor, id, ifMatch, (before) => patchGroup(before, changes))
  }

  function change(
    actor: Actor,
    given: string,
    ifMatch: string | undefined,
    next: (before: Wanted) => Wanted,
  ): Promise<GroupWithMembers> {
    return db.transaction(actor, async (tx) => {
      const settings = await lockEnabled(tx)
      await holdGovernedTeams(tx)
      const row = await read(tx, given, ifMatch)
      const before = new Set((await store.membersOf(tx, [row.id])).map(({ id }) => id))
      const after = next({ displayName: row.display_name, externalId: row.external_id, members: before })
      const add = [...after.members].filter((id) => !before.has(id))
      const remove = [...before].filter((id) => !after.members.has(id))
      const isRenamed = after.displayName !== row.display_name
      if (!isRenamed && after.externalId === row.external_id && add.length + remove.length === 0)
        return whole(tx, row.id)
      await requireKnown(tx, add)
      if (await store.isTaken(tx, row.id, after.displayName)) throw taken(`There is a group '${after.displayName}'.`)
      await store.update(tx, row.id, after, clock.now())
      await store.setMembers(tx, row.id, { add, remove })
      await settle(tx, isRenamed ? [...before, ...add] : [...add, ...remove], settings.default_role)
      const detail = { displayName: after.displayName, added: add.length, removed: remove.length }
      tx.audit({ action: 'provisioning.group-update', target: targetOf(row.id), detail })
      return whole(tx, row.id)
    })
  }

  function remove(actor: Actor, given: string, ifMatch: string | undefined): Promise<void> {
    return db.transaction(actor, async (tx) => {
      const settings = await lockEnabled(tx)
      await holdGovernedTeams(tx)
      const row = await read(tx, given, ifMatch)
      const members = (await store.membersOf(tx, [row.id])).map(({ id }) => id)
      await store.remove(tx, row.id)
      await settle(tx, members, settings.default_role)
      const detail = { displayName: row.display_name }
      tx.audit({ action: 'provisioning.group-delete', target: targetOf(row.id), detail })
    })
  }

  return { list, get, create, replace, patch, remove }
}

/** Without `members` a PUT leaves them: Okta sends them always, and nobody loses them by a mistake. */
function readGroup(body: unknown, before?: Wanted): Wanted {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ScimFault('invalidSyntax', 'The body is not a group.')
  }
  const externalId = fieldOf(body, 'externalid')
  const members = fieldOf(body, 'members')
  return {
    displayName: text(fieldOf(body, 'displayname'), 'displayName'),
    externalId:
      externalId === undefined || externalId === null ? (before?.externalId ?? '') : text(externalId, 'externalId'),
    members: members === undefined || members === null ? (before?.members ?? new Set()) : idsIn(members),
  }
}

function patchGroup(before: Wanted, changes: readonly Change[]): Wanted {
  const group = { ...before, members: new Set(before.members) }
  for (const { op, path, chosen, value } of changes) {
    if (path === 'displayname' && op !== 'remove') group.displayName = text(value, 'displayName')
    else if (path === 'displayname') throw new ScimFault('mutability', '`displayName` cannot be removed.')
    else if (path === 'externalid') group.externalId = op === 'remove' ? '' : text(value, 'externalId')
    else if (path === 'members[value]' && op === 'remove') group.members.delete(idOf(chosen!))
    else if (path === 'members') changeMembers(group.members, op, value)
  }
  return group
}

function changeMembers(members: Set<number>, op: Change['op'], value: unknown): void {
  // Entra ID removes by `members` with a value, which the standard does not know; without one, everybody goes.
  const isAll = op === 'remove' && (value === undefined || value === null)
  if (op === 'replace' || isAll) members.clear()
  for (const id of idsIn(value ?? [])) {
    if (op === 'remove') members.delete(id)
    else members.add(id)
  }
}

function idsIn(value: unknown): Set<number> {
  const entries: unknown[] = [value].flat()
  if (entries.length > mostMembers) throw new ScimFault('invalidValue', `At most ${mostMembers} members at a time.`)
  const ids = entries.map((entry) => {
    const id = typeof entry === 'string' ? entry : fieldOf(entry, 'value')
    if (typeof id !== 'string' || idOf(id) === 0)
      throw new ScimFault('invalidValue', 'A member is named by the id of a user.')
    return idOf(id)
  })
  return new Set(ids)
}

function text(value: unknown, name: string): string {
  const trimmed = typeof value === 'string' ? value.trim().toWellFormed() : ''
  if (trimmed === '' || trimmed.length > longestName || /[\u0000-\u001f\u007f]/.test(trimmed)) {
    throw new ScimFault('invalidValue', `\`${name}\` is text of 1 to ${longestName} characters in one line.`)
  }
  return trimmed
}

async function requireKnown(tx: Transaction, ids: Iterable<number>): Promise<void> {
  const wanted = [...ids]
  const found = await known(tx, wanted)
  const missing = wanted.filter((id) => !found.has(id))
  if (missing.length > 0) throw new ScimFault('invalidValue', `No user ${missing.slice(0, 10).join(', ')}.`)
}

/** Not locked: the lock on the settings keeps other requests of the directory away. */
async function read(tx: Transaction, given: string, ifMatch: string | undefined): Promise<store.GroupRow> {
  const row = await store.find(tx, idOf(given))
  if (!row) throw notFound(given)
  requireTag(ifMatch, row.version)
  return row
}

async function whole(tx: Transaction, id: number): Promise<GroupWithMembers> {
  return { row: (await store.find(tx, id))!, members: await store.membersOf(tx, [id]) }
}

function notFound(id: string): Fault {
  return new Fault('not_found', `No group ${id.slice(0, 100)}.`)
}

function targetOf(id: number): string {
  return `provisioned-group:${id}`
}
