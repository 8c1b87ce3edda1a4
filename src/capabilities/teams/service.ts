import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { withFreeSlug } from '../../kernel/database/free-slug.ts'
import { applyChanges } from './apply-changes.ts'
import { authorizedScopes } from './authorized-scopes.ts'
import type { NewTeam, Team, TeamChanges, TeamDefaults, TeamQuery } from './contract.ts'
import * as store from './store.ts'

export type TeamService = ReturnType<typeof createTeamService>

type PageQuery = { pageSize?: number; cursor?: number }

const levels = 3

export function createTeamService(db: Database) {
  function update(actor: Actor, id: number, changes: TeamChanges): Promise<Team> {
    return db.transaction(actor, async (tx) => {
      const team = await lock(tx, id)
      if (!authorizedScopes(actor, team.own_role).includes('TEAM_SCOPE_MANAGE')) {
        throw new Fault('forbidden', 'Only owners, admins and managers of the team may change it.')
      }
      requireVersion(actor, team.version)
      await applyChanges(tx, id, changes)
      tx.audit({ action: 'team.update', target: `team:${id}`, detail: changes })
      return toTeam(actor, await find(tx, actor, id))
    })
  }

  function create(actor: Actor, team: NewTeam): Promise<Team> {
    return db.transaction(actor, async (tx) => {
      const { name, isProjectDefault = false, isUserDefault = false } = team
      const parent = team.parentTeamId === undefined ? undefined : await lockParent(tx, Number(team.parentTeamId))
      const fields = {
        name,
        isProjectDefault,
        isUserDefault,
        parentTeamId: parent?.id,
        level: (parent?.level ?? 0) + 1,
      }
      const id = await withFreeSlug(name, 'team', (slug) => store.insertTeam(tx, { ...fields, slug }))
      if (parent) await store.touch(tx, parent.id)
      tx.audit({ action: 'team.create', target: `team:${id}`, detail: team })
      return toTeam(actor, await find(tx, actor, id))
    })
  }

  async function list(actor: Actor, query: TeamQuery) {
    const page = pageRequest(query)
    const reader = db.as(actor)
    const [found, total] = await Promise.all([store.list(reader, actor, query, page), store.count(reader, query)])
    const { rows, ...rest } = cutPage(found, page)
    return { teams: rows.map((row) => toTeam(actor, row)), total, ...rest }
  }

  async function get(actor: Actor, id: number): Promise<Team> {
    return toTeam(actor, await find(db.as(actor), actor, id))
  }

  function setDefaults(actor: Actor, id: number, defaults: TeamDefaults): Promise<Team> {
    return db.transaction(actor, async (tx) => {
      const team = await lock(tx, id)
      requireVersion(actor, team.version)
      await store.touch(tx, id, defaults)
      tx.audit({ action: 'team.defaults', target: `team:${id}`, detail: defaults })
      return toTeam(actor, await find(tx, actor, id))
    })
  }

  function remove(actor: Actor, id: number): Promise<Team> {
    return db.transaction(actor, async (tx) => {
      const team = await lock(tx, id, 'remove')
      requireVersion(actor, team.version)
      if (team.child_team_count > 0) {
        throw new Fault(
          'conflict',
          `Team '${team.name}' has teams below it (${team.child_team_count}); delete those first.`,
        )
      }
      await store.remove(tx, id)
      if (team.parent_team_id !== null) await store.touch(tx, team.parent_team_id)
      tx.audit({ action: 'team.delete', target: `team:${id}`, detail: { name: team.name } })
      return toTeam(actor, team)
    })
  }

  async function listMembers(actor: Actor, id: number, query: PageQuery) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.listMembers(db.as(actor), id, page), page)
    if (rows.length === 0) await find(db.as(actor), actor, id)
    return {
      members: rows.map((row) => ({ userId: row.id, name: row.name, email: row.email, role: row.role })),
      ...rest,
    }
  }

  async function listRepositories(actor: Actor, id: number, query: PageQuery) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.listRepositories(db.as(actor), actor, id, page), page)
    if (rows.length === 0) await find(db.as(actor), actor, id)
    return { repositories: rows.map((row) => ({ repositoryId: String(row.id), name: row.name })), ...rest }
  }

  return { update, create, list, get, setDefaults, remove, listMembers, listRepositories }
}

/** What every new deployment has: one team that everybody and everything joins, managed by whoever made the deployment. */
export async function provisionTeams(tx: Transaction): Promise<void> {
  const team = { name: 'Everyone', slug: 'everyone', level: 1, isProjectDefault: true, isUserDefault: true }
  const id = await store.insertTeam(tx, team)
  if (id === undefined) throw new Error('a new deployment has teams already')
  await store.putMembers(tx, id, [{ id: tx.actor.personId, role: 'TEAM_ROLE_MANAGER' }])
  tx.audit({ action: 'team.create', target: `team:${id}`, detail: { name: team.name } })
}

/** Locked first and read second, so that what is read is what the former holder of the lock left. */
async function lock(tx: Transaction, id: number, intent?: 'change' | 'remove'): Promise<store.TeamRow> {
  if (!(await store.lock(tx, id, intent))) throw notFound(id)
  return find(tx, tx.actor, id)
}

async function lockParent(tx: Transaction, id: number): Promise<store.TeamRow> {
  const pointer = '/team/parentTeamId'
  const parent = (await store.lock(tx, id)) ? await store.find(tx, tx.actor, id) : undefined
  if (!parent) {
    throw new Fault('unprocessable', `There is no team ${id} that could be the parent.`, {
      errors: [{ pointer, detail: `no team ${id}` }],
    })
  }
  if (parent.level >= levels) {
    const detail = `team '${parent.name}' is on level ${parent.level} of ${levels}`
    throw new Fault('unprocessable', `A tree of teams has ${levels} levels; ${detail}.`, {
      errors: [{ pointer, detail }],
    })
  }
  return parent
}

async function find(db: Queryable, actor: Actor, id: number): Promise<store.TeamRow> {
  const row = await store.find(db, actor, id)
  if (!row) throw notFound(id)
  return row
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No team ${id}.`)
}

function toTeam(actor: Actor, row: store.TeamRow): Team {
  const team = {
    id: String(row.id),
    deploymentId: String(actor.deploymentId),
    name: row.name,
    slug: row.slug,
    parentTeamId: row.parent_team_id === null ? '' : String(row.parent_team_id),
    repositoryCount: String(row.repository_count),
    userCount: String(row.user_count),
    childTeamCount: String(row.child_team_count),
    isProjectDefault: row.is_project_default,
    isUserDefault: row.is_user_default,
    authorizedScopes: authorizedScopes(actor, row.own_role),
  }
  return withVersion(team, row.version)
}
