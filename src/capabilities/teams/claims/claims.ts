import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { authorizedScopes } from '../authorized-scopes.ts'
import * as teams from '../store.ts'
import type { TeamClaims } from './claim-contract.ts'
import * as store from './claim-store.ts'
import { expressionOf, wrongIn } from './name-pattern.ts'

// Each is tried at every name that a repository comes with.
const mostPatterns = 2_000

export type ClaimService = ReturnType<typeof createTeamClaims>

/** The names of repositories that teams claim. */
export function createTeamClaims(db: Database) {
  async function get(actor: Actor, teamId: number): Promise<TeamClaims> {
    const team = await teams.find(db.as(actor), actor, teamId)
    if (!team) throw notFound(teamId)
    if (authorizedScopes(actor, team.own_role).length === 0) {
      throw new Fault('forbidden', 'Only owners, admins and the people of the team see which names it claims.')
    }
    return read(db.as(actor), team)
  }

  function set(actor: Actor, teamId: number, { patterns, membersCreate }: TeamClaims): Promise<TeamClaims> {
    const errors = patterns.flatMap((pattern, at) => {
      const detail = wrongIn(pattern)
      return detail ? [{ pointer: `/patterns/${at}`, detail }] : []
    })
    if (errors.length > 0) throw new Fault('unprocessable', 'Not every pattern can be used.', { errors })
    return db.transaction(actor, async (tx) => {
      await store.holdPatterns(tx, 'alone')
      const team = (await teams.lock(tx, teamId)) ? await teams.find(tx, actor, teamId) : undefined
      if (!team) throw notFound(teamId)
      requireVersion(actor, team.version)
      if ((await store.countPatterns(tx, teamId)) + patterns.length > mostPatterns) {
        throw new Fault('unprocessable', `The teams of a deployment have at most ${mostPatterns} patterns together.`)
      }
      const written = patterns.map((pattern) => ({ pattern, expression: expressionOf(pattern) }))
      await store.replacePatterns(tx, teamId, written, membersCreate)
      await store.settleTeam(tx, teamId)
      tx.audit({ action: 'team.claims', target: `team:${teamId}`, detail: { patterns, membersCreate } })
      return read(tx, { id: teamId, version: team.version + 1 })
    })
  }

  async function read(from: Queryable, { id, version }: { id: number; version: number }): Promise<TeamClaims> {
    const claims = {
      patterns: await store.listPatterns(from, id),
      membersCreate: await store.findMembersCreate(from, id),
    }
    return withVersion(claims, version)
  }

  return { get, set }
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No team ${id}.`)
}
