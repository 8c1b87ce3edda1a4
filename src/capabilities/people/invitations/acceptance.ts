import type { Actor } from '../../../kernel/access/actor.ts'
import type { Identity } from '../../../kernel/access/identity.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { AttemptLimits } from '../../sessions/public.ts'
import { holdDefaultTeams, joinDefaultTeams } from '../../teams/public.ts'
import { hashNewPassword } from '../passwords/new-password.ts'
import { toPerson } from '../service.ts'
import * as store from '../store.ts'
import type { Joined } from './invitation-contract.ts'
import * as invitations from './invitation-store.ts'
import { mayInvite } from './invitations.ts'
import { hashLinkToken, invalidLink, unknownLinkLimits } from './one-time-link.ts'

/** What else has to be done for somebody who joins, in the same transaction. */
export type OnJoin = (tx: Transaction, personId: number) => Promise<void>

type Asked = { token: string; address: string; requestId: string }

/** What the holder of an invitation's link can do with it, once. */
export function createAcceptance(db: Database, clock: Clock, limits: AttemptLimits, onJoin: OnJoin) {
  async function show(token: string, address: string) {
    const found = await find(token, address)
    const { deployment, email, name, role, inviter } = found
    return { deployment, email, name, role, invitedBy: inviter, expiresAt: found.expires_at.toISOString() }
  }

  /** Account, membership and teams in one transaction. An account that is there already is left as it is. */
  async function accept(asked: Asked, given: { name?: string; password: string }): Promise<Joined> {
    const found = await find(asked.token, asked.address)
    // Before anything is said about the account: a password that is refused is refused either way.
    const passwordHash = await hashNewPassword(given.password, { email: found.email, name: given.name ?? found.name })
    const personId = await invitations.nextAccountId({ query: db.identityQuery })
    return db.transaction(actorOf(found, personId, asked), async (tx) => {
      const invitation = await claim(tx, found, asked.token)
      const name = given.name ?? (invitation.name || invitation.email.split('@')[0]!)
      const link = { id: invitation.id, hash: hashLinkToken(asked.token) }
      if (!(await invitations.createAccount(tx, link, { name, passwordHash }))) {
        throw new Fault(
          'conflict',
          `${invitation.email} has an account: sign in with it, then accept. If you have no password for it, ask for a new one first.`,
        )
      }
      return join(tx, invitation, 'new', onJoin)
    })
  }

  /** With the account that the caller is signed in to. */
  async function acceptAs(caller: Identity, asked: Asked): Promise<Joined> {
    const found = await find(asked.token, asked.address)
    if (found.account_id !== caller.personId) {
      throw new Fault('forbidden', 'The invitation is for another address: sign in with the account of that one.')
    }
    return db.transaction(actorOf(found, caller.personId, asked), async (tx) => {
      const joined = await join(tx, await claim(tx, found, asked.token), 'existing', onJoin)
      // Whoever sets another password for the account ends its sessions, and must not come along through this one.
      if (!(await invitations.sessionStands(tx, caller.sessionId))) {
        throw new Fault('token_revoked', 'This session has ended; sign in again.')
      }
      return joined
    })
  }

  async function find(token: string, address: string): Promise<invitations.FoundInvitation> {
    const guard = limits.guard(unknownLinkLimits(address))
    await guard.begin()
    const found = await invitations.findByHash({ query: db.identityQuery }, hashLinkToken(token))
    if (!found || found.expires_at <= clock.now()) throw invalidLink()
    await guard.succeed()
    return found
  }

  /** Held until the transaction ends, in the order in which who removes a person holds: teams, members, invitations. */
  async function claim(tx: Transaction, found: invitations.FoundInvitation, token: string) {
    await holdDefaultTeams(tx)
    const inviter = await store.lockRole(tx, found.invited_by)
    const invitation = await invitations.lockByHash(tx, found.id, hashLinkToken(token))
    // Whose right to invite has gone has their invitations gone with it.
    if (!invitation || !mayInvite(inviter, invitation.role)) throw invalidLink()
    return invitation
  }

  return { show, accept, acceptAs }
}

async function join(
  tx: Transaction,
  { id, email, role, invited_by }: invitations.InvitationRow,
  account: 'new' | 'existing',
  onJoin: OnJoin,
): Promise<Joined> {
  const { personId } = tx.actor
  if (!(await store.insertMembership(tx, personId, role))) {
    throw new Fault('conflict', `${email} already belongs to this deployment.`)
  }
  await invitations.remove(tx, id)
  await joinDefaultTeams(tx, personId)
  await onJoin(tx, personId)
  const detail = { email, role, invitedBy: invited_by, account }
  tx.audit({ action: 'invitation.accept', target: `person:${personId}`, detail })
  const row = await store.find(tx, personId)
  return { deploymentId: tx.deploymentId, person: toPerson(row!) }
}

function actorOf(found: invitations.FoundInvitation, personId: number, { requestId }: Asked): Actor {
  const { deployment_id: deploymentId, role } = found
  return { deploymentId, personId, tokenId: 0, role, permissions: permitted(role, undefined), requestId }
}
