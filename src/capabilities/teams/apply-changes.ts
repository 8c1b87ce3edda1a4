import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import { unknownRepositories, withIds } from '../repositories/public.ts'
import { claimedOf } from './claims/claim-store.ts'
import type { RepositoryEntry, TeamChanges, TeamRole, UserEntry } from './contract.ts'
import { type ListChange, readListChange } from './list-change.ts'
import * as store from './store.ts'

type RepositoryChange = { id: number; index: number }
type UserChange = { id: number; index: number; role?: TeamRole | undefined }

const repositoriesAt = { list: '/team/repositories', id: 'repositoryId' }
const usersAt = { list: '/team/users', id: 'userId' }

/** Changes a team that is locked. Everything the request names is checked before the first change. */
export async function applyChanges(tx: Transaction, teamId: number, changes: TeamChanges): Promise<void> {
  const errors: FieldError[] = []
  const repositories = readListChange(changes.repositories?.map(toRepositoryChange), repositoriesAt, errors)
  const users = readListChange(changes.users?.map(toUserChange), usersAt, errors)
  if (errors.length > 0) {
    throw new Fault('validation_failed', 'The lists of the team do not fit together; errors says where.', { errors })
  }
  await refuseUnknown(tx, changes)
  await store.touch(tx, teamId, changes.name === undefined ? {} : { name: changes.name })
  await changeRepositories(tx, teamId, repositories)
  await changeUsers(tx, teamId, users)
}

function toRepositoryChange({ repositoryId, action }: RepositoryEntry, index: number) {
  return { id: Number(repositoryId), index, action }
}

function toUserChange({ userId, role, action }: UserEntry, index: number) {
  return { id: userId, index, role, action }
}

/** A manager could otherwise give their team, and so themselves, repositories they may not see: those are unknown here. */
async function refuseUnknown(tx: Transaction, changes: TeamChanges): Promise<void> {
  const repositoryIds = (changes.repositories ?? []).map((entry) => Number(entry.repositoryId))
  const userIds = (changes.users ?? []).map((entry) => entry.userId)
  const repositories = await withIds(tx, tx.actor, repositoryIds)
  const people = await store.peopleWithIds(tx, userIds)
  const unknown = repositoryIds.filter((id) => !repositories.has(id))
  const strangers = userIds.filter((id) => !people.has(id))
  if (unknown.length === 0 && strangers.length === 0) return
  const messages: string[] = []
  if (unknown.length > 0) messages.push(unknownRepositories(unknown))
  if (strangers.length > 0) messages.push(`No user${strangers.length === 1 ? '' : 's'} ${strangers.join(', ')}.`)
  const errors = [
    ...pointAt(repositoryIds, (id) => !repositories.has(id), repositoriesAt, 'no repository'),
    ...pointAt(userIds, (id) => !people.has(id), usersAt, 'no user'),
  ]
  throw new Fault(unknown.length > 0 ? 'unknown_repository' : 'unknown_person', messages.join(' '), { errors })
}

async function changeRepositories(tx: Transaction, teamId: number, change: ListChange<RepositoryChange>) {
  if (change.kind === 'replace') {
    const ids = change.entries.map((entry) => entry.id)
    await store.keepOnlyRepositories(tx, teamId, ids)
    await store.addRepositories(tx, teamId, ids)
  } else if (change.kind === 'each') {
    const held = await store.heldOf(tx, teamId, idsOf(change.update))
    refuseAbsent(change.update, held, repositoriesAt, 'repository')
    refuseClaimed(change.remove, await claimedOf(tx, teamId, idsOf(change.remove)))
    await store.removeRepositories(tx, teamId, idsOf(change.remove))
    await store.addRepositories(tx, teamId, idsOf(change.add))
  }
}

async function changeUsers(tx: Transaction, teamId: number, change: ListChange<UserChange>): Promise<void> {
  const toMembers = (entries: UserChange[], present?: Map<number, TeamRole>) =>
    entries.map(({ id, role }) => ({ id, role: role ?? present?.get(id) ?? ('TEAM_ROLE_MEMBER' as const) }))
  if (change.kind === 'replace') {
    await store.keepOnlyMembers(tx, teamId, idsOf(change.entries))
    await store.putMembers(tx, teamId, toMembers(change.entries))
  } else if (change.kind === 'each') {
    const put = [...change.add, ...change.update]
    // An entry that changes only itself and gives no role leaves the role of whoever is there already.
    const present = await store.rolesOf(tx, teamId, idsOf(put))
    refuseAbsent(change.update, present, usersAt, 'user')
    await store.removeMembers(tx, teamId, idsOf(change.remove))
    await store.putMembers(tx, teamId, toMembers(put, present))
  }
}

function refuseAbsent(
  entries: { id: number; index: number }[],
  present: { has(id: number): boolean },
  at: { list: string; id: string },
  noun: string,
): void {
  const absent = entries.filter((entry) => !present.has(entry.id))
  if (absent.length === 0) return
  const errors = absent.map(({ id, index }) => ({
    pointer: `${at.list}/${index}/${at.id}`,
    detail: `${noun} ${id} is not in the team`,
  }))
  throw new Fault('unprocessable', `Not in the team: ${noun} ${idsOf(absent).join(', ')}. Add before updating.`, {
    errors,
  })
}

/** Out of the team today and back with the next change of a name: who means it changes the pattern. */
function refuseClaimed(entries: RepositoryChange[], claimed: ReadonlySet<number>): void {
  const errors = entries.flatMap(({ id, index }) =>
    claimed.has(id)
      ? [{ pointer: `${repositoriesAt.list}/${index}/${repositoriesAt.id}`, detail: 'the team claims its name' }]
      : [],
  )
  if (errors.length > 0)
    throw new Fault('unprocessable', 'The team claims repositories of these names; change its patterns.', { errors })
}

function pointAt(ids: number[], wrong: (id: number) => boolean, at: { list: string; id: string }, detail: string) {
  return ids.flatMap((id, index) =>
    wrong(id) ? [{ pointer: `${at.list}/${index}/${at.id}`, detail: `${detail} ${id}` }] : [],
  )
}

function idsOf(entries: { id: number }[]): number[] {
  return entries.map((entry) => entry.id)
}
