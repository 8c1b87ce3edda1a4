import { randomBytes } from 'node:crypto'
import { type Actor, requireOwnPermissions } from '../../kernel/access/actor.ts'
import { type Permission, permitted } from '../../kernel/access/permission.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import { slugOf } from '../../kernel/contract/schema.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { enroll, keepFormerMember, revokeSentInvitations } from '../people/public.ts'
import { holdDefaultTeams, holdTeamsOf, joinDefaultTeams, leaveAllTeams } from '../teams/public.ts'
import type { NewToken } from '../tokens/contract.ts'
import { expiryAfter, issueToken, listTokensOf } from '../tokens/public.ts'
import type { NewServiceAccount, ServiceAccount, ServiceAccountChanges } from './contract.ts'
import * as store from './store.ts'

const mostAccounts = 1_000

export type ServiceAccountService = ReturnType<typeof createServiceAccounts>

/** Accounts of programs: no password, a role and scopes, and tokens that admins make for them. */
export function createServiceAccounts(db: Database, clock: Clock) {
  async function list(actor: Actor, query: { pageSize?: number; cursor?: number }) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), clock.now(), page), page)
    return { serviceAccounts: rows.map(shown), ...rest }
  }

  function create(actor: Actor, wanted: NewServiceAccount): Promise<ServiceAccount> {
    const { name, description = '', role = 'member', scopes = [] } = wanted
    requireScopesOfRole({ role, scopes })
    requireOwnPermissions(actor, permissionsOf({ role, scopes }))
    return db.transaction(actor, async (tx) => {
      await holdDefaultTeams(tx)
      if ((await store.count(tx)) >= mostAccounts) {
        throw new Fault('unprocessable', `A deployment has at most ${mostAccounts} service accounts; delete one first.`)
      }
      const id = await store.createAccount(tx, addressOf(name), name)
      await enroll(tx, id, role)
      const made = await store.insert(tx, { id, name, description, scopes: stored(scopes) })
      if (!made) throw new Fault('conflict', `A service account '${name}' already exists.`)
      await joinDefaultTeams(tx, id)
      tx.audit({ action: 'service-account.create', target: targetOf(id), detail: { name, role, scopes } })
      return get(tx, id)
    })
  }

  function update(actor: Actor, id: number, changes: ServiceAccountChanges): Promise<ServiceAccount> {
    return db.transaction(actor, async (tx) => {
      const current = await lock(tx, id)
      const { description, role, scopes } = { ...current, ...changes }
      requireScopesOfRole({ role, scopes })
      requireOwnPermissions(actor, permissionsOf({ role, scopes }))
      await store.update(tx, id, { description, role, scopes: stored(scopes) })
      tx.audit({ action: 'service-account.update', target: targetOf(id), detail: changes })
      return get(tx, id)
    })
  }

  function remove(actor: Actor, id: number): Promise<ServiceAccount> {
    return db.transaction(actor, async (tx) => {
      await holdTeamsOf(tx, id)
      const account = await lock(tx, id)
      await leaveAllTeams(tx, id)
      await revokeSentInvitations(tx, id)
      await keepFormerMember(tx, id)
      await store.remove(tx, id)
      const detail = { name: account.name, tokens: account.tokenCount }
      tx.audit({ action: 'service-account.delete', target: targetOf(id), detail })
      return account
    })
  }

  async function listTokens(actor: Actor, id: number) {
    await get(db.as(actor), id)
    return { tokens: await listTokensOf(db.as(actor), id) }
  }

  function createToken(actor: Actor, id: number, wanted: NewToken) {
    return db.transaction(actor, async (tx) => {
      const { role, scopes } = await lock(tx, id)
      const has = permissionsOf({ role, scopes })
      requireOwnPermissions(actor, permissionsOf({ role, scopes: wanted.scopes ?? [...has] }))
      const missing = wanted.scopes?.filter((scope) => !has.has(scope)) ?? []
      if (missing.length > 0) throw new Fault('forbidden', `The service account does not have: ${missing.join(', ')}.`)
      const expiresAt = expiryAfter(clock.now(), wanted.expiresInDays)
      return issueToken(tx, { personId: id, parentId: 0, wanted, scopes: wanted.scopes ?? null, expiresAt })
    })
  }

  async function lock(tx: Transaction, id: number): Promise<ServiceAccount> {
    if (!(await store.lock(tx, id))) throw notFound(id)
    const row = await store.find(tx, clock.now(), id)
    if (!row) throw notFound(id)
    requireVersion(tx.actor, row.version)
    return shown(row)
  }

  async function get(from: Queryable, id: number): Promise<ServiceAccount> {
    const row = await store.find(from, clock.now(), id)
    if (!row) throw notFound(id)
    return shown(row)
  }

  return { list, create, update, remove, listTokens, createToken }
}

type Power = Pick<ServiceAccount, 'role' | 'scopes'>

function permissionsOf({ role, scopes }: Power): ReadonlySet<Permission> {
  return permitted(role, scopes.length === 0 ? undefined : scopes)
}

/** A scope that the role does not have would promise what no token of the account can do. */
function requireScopesOfRole({ role, scopes }: Power): void {
  const all = permitted(role, undefined)
  const errors = scopes.flatMap((scope, at) =>
    all.has(scope) ? [] : [{ pointer: `/scopes/${at}`, detail: `the role ${role} does not have ${scope}` }],
  )
  if (errors.length > 0)
    throw new Fault('unprocessable', `The role ${role} does not have all of these scopes.`, { errors })
}

/** RFC 2606 §2: nobody can have an address there, so no mail and no invitation reaches it. */
function addressOf(name: string): string {
  return `${slugOf(name) || 'account'}@${randomBytes(5).toString('hex')}.service-account.invalid`
}

function stored(scopes: readonly string[]): string[] | null {
  return scopes.length === 0 ? null : [...scopes]
}

function shown(row: store.AccountRow): ServiceAccount {
  const { id, name, email, description, role } = row
  const account = {
    id,
    name,
    email,
    description,
    role,
    scopes: (row.scopes ?? []) as Permission[],
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    tokenCount: row.token_count,
    nextExpiryAt: row.next_expiry_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }
  return withVersion(account, row.version)
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No service account ${id}.`)
}

function targetOf(id: number): string {
  return `service-account:${id}`
}
