import { type Actor, doneEachTime } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { createProgramAccount, enroll } from '../people/public.ts'
import { knownTeams } from '../teams/public.ts'
import { expiryAfter, issueToken, listTokensOf } from '../tokens/public.ts'
import type { ProvisionedUser, Provisioning, ProvisioningChanges, ProvisioningRequest } from './contract.ts'
import { holdGovernedTeams, settle } from './scim/group-rules.ts'
import { count as countGroups } from './scim/group-store.ts'
import { count as countUsers } from './scim/user-store.ts'
import * as store from './store.ts'

const daysOfToken = 365
const shownRequests = 100
const scopes = ['provisioning:sync' as const]
const accountName = 'Provisioning'

type Page = { pageSize?: number; cursor?: number }

export type ProvisioningSettings = ReturnType<typeof createSettings>

/** How a directory reaches the deployment, and what it has done there. */
export function createSettings({ db, clock, publicUrl }: { db: Database; clock: Clock; publicUrl: string }) {
  async function get(actor: Actor): Promise<Provisioning> {
    return shown(db.as(actor))
  }

  function update(actor: Actor, changes: ProvisioningChanges): Promise<Provisioning> {
    return db.transaction(actor, async (tx) => {
      const current = await lockOrMake(tx)
      requireVersion(actor, current.version)
      const { enabled = current.enabled, defaultRole = current.default_role, rules } = changes
      await store.update(tx, { enabled, defaultRole })
      if (rules) await replaceRules(tx, rules)
      // While it is off, roles and teams are left to people.
      if (enabled) {
        await holdGovernedTeams(tx)
        await settle(tx, 'all', defaultRole)
      }
      tx.audit({ action: 'provisioning.update', target: 'provisioning', detail: changes })
      return shown(tx)
    })
  }

  async function replaceRules(tx: Transaction, rules: Provisioning['rules']): Promise<void> {
    const empty = rules.findIndex(({ role, teamId }) => role === null && teamId === null)
    if (empty >= 0) {
      const errors = [{ pointer: `/rules/${empty}`, detail: 'gives neither a role nor a team' }]
      throw new Fault('unprocessable', 'A rule gives a role, a team, or both.', { errors })
    }
    const teams = await knownTeams(
      tx,
      rules.flatMap(({ teamId }) => teamId ?? []),
    )
    const errors = rules.flatMap(({ teamId }, at) =>
      teamId === null || teams.has(teamId) ? [] : [{ pointer: `/rules/${at}/teamId`, detail: `no team ${teamId}` }],
    )
    if (errors.length > 0) throw new Fault('unprocessable', 'Some teams do not exist.', { errors })
    await store.replaceRules(tx, rules)
  }

  function createToken(actor: Actor, { expiresInDays = daysOfToken }: { expiresInDays?: number }) {
    return db.transaction(actor, async (tx) => {
      const { person_id: personId, enabled } = await lockOrMake(tx)
      if (!enabled) throw new Fault('unprocessable', 'Provisioning is off: turn it on first.')
      const wanted = { name: accountName, webApi: true }
      const expiresAt = expiryAfter(clock.now(), expiresInDays)
      return issueToken(tx, { personId, parentId: 0, wanted, scopes, expiresAt })
    })
  }

  async function listUsers(actor: Actor, query: Page) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.listUsers(db.as(actor), page), page)
    return { users: rows.map(toUser), ...rest }
  }

  async function listGroups(actor: Actor, query: Page) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.listGroups(db.as(actor), page), page)
    const groups = rows.map(({ changed_at, ...row }) => ({ ...row, changedAt: changed_at.toISOString() }))
    return { groups, ...rest }
  }

  async function listRequests(actor: Actor): Promise<{ requests: ProvisioningRequest[] }> {
    const rows = await store.listRequests(db.as(actor), shownRequests)
    return { requests: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
  }

  /** Reads that went well only move the time of the last request. */
  async function note(actor: Actor, outcome: { method: string; path: string; status: number; detail: string }) {
    await db.transaction(doneEachTime(actor), async (tx) => {
      await store.noteUse(tx, clock.now())
      if (outcome.method !== 'GET' || outcome.status >= 400)
        await store.noteRequest(tx, { at: clock.now(), ...outcome })
    })
  }

  async function shown(from: Queryable): Promise<Provisioning> {
    const [row, rules, users, groups] = await Promise.all([
      store.find(from),
      store.listRules(from),
      countUsers(from, []),
      countGroups(from, []),
    ])
    const provisioning: Provisioning = {
      enabled: row?.enabled ?? false,
      baseUrl: `${publicUrl}/scim/v2`,
      defaultRole: row?.default_role ?? 'member',
      rules,
      tokens: row ? await listTokensOf(from, row.person_id) : [],
      users,
      groups,
      lastRequestAt: row?.last_request_at?.toISOString() ?? null,
    }
    return withVersion(provisioning, row?.version ?? 0)
  }

  return { get, update, createToken, listUsers, listGroups, listRequests, note }
}

/** The settings, held, if the caller is the directory and its requests are taken. */
export async function lockEnabled(tx: Transaction): Promise<store.SettingsRow> {
  const row = await store.lock(tx)
  requireEnabled(row, tx.actor)
  return row!
}

/** Tokens of people do not speak for a directory, whatever scope they have. */
export function requireEnabled(row: store.SettingsRow | undefined, actor: Actor): void {
  if (!row?.enabled || row.person_id !== actor.personId) {
    throw new Fault('forbidden', 'Provisioning is off, or this is not the token that was made for it.')
  }
}

/** With the account of the directory: an owner, so that it can suspend owners, whose tokens can do this and nothing else. */
async function lockOrMake(tx: Transaction): Promise<store.SettingsRow & { version: number }> {
  const present = await store.lock(tx)
  if (present) return present
  const personId = await createProgramAccount(tx, 'provisioning', accountName)
  await enroll(tx, personId, 'owner')
  // Who was faster has it made: this one is rolled back and tried again.
  if (!(await store.insert(tx, personId))) throw new Fault('conflict', 'Somebody else is setting this up. Try again.')
  return { ...(await store.lock(tx))!, version: 0 }
}

function toUser(row: store.ShownUserRow): ProvisionedUser {
  return {
    id: row.id,
    userName: row.user_name,
    email: row.address,
    personId: row.person_id,
    state: stateOf(row),
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
  }
}

function stateOf({ person_id, active, suspended }: store.ShownUserRow): ProvisionedUser['state'] {
  if (person_id !== null) return suspended ? 'suspended' : 'active'
  return active ? 'invited' : 'inactive'
}
