import { type Actor, requireSignedInPerson } from '../../../kernel/access/actor.ts'
import type { Role } from '../../../kernel/access/permission.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { isMailAddress } from '../../../outbound/mail/mail-message.ts'
import { hasMember, lockRole } from '../store.ts'
import type { Invitation, Invited, NewPerson } from './invitation-contract.ts'
import * as store from './invitation-store.ts'
import { countMail } from './mail-limit.ts'
import { hashLinkToken, linkTo, newLinkToken } from './one-time-link.ts'

export const invitationMail = 'people.invitation-mail'

const daysValid = 7
const mostPending = 1_000

export type InvitationOptions = {
  db: Database
  clock: Clock
  publicUrl: string
  /** With a mail server the link goes to the address and to nobody else: who holds it then owns the address. */
  canMail: boolean
}

export function createInvitations({ db, clock, publicUrl, canMail }: InvitationOptions) {
  const delivery: store.Delivery = canMail ? 'mail' : 'link'

  async function list(actor: Actor): Promise<{ invitations: Invitation[] }> {
    return { invitations: (await store.list(db.as(actor))).map(toInvitation) }
  }

  /** Does the same whether the address has an account or not: it does not look. */
  async function invite(actor: Actor, { email, name = '', role = 'member' }: NewPerson): Promise<Invited> {
    checkAddress(email)
    const token = newLinkToken()
    return db.transaction(actor, async (tx) => {
      await requireRight(tx, role)
      const made = { email, name, role, delivery, tokenHash: hashLinkToken(token), ...term() }
      const row = await store.insert(tx, made)
      if (!row) throw new Fault('conflict', `${email} is already invited: renew or revoke that invitation.`)
      // After the insert, which waits for whoever is just accepting an earlier invitation.
      if (await hasMember(tx, email)) throw new Fault('conflict', `${email} already belongs to this deployment.`)
      if ((await store.count(tx)) > mostPending) {
        throw new Fault('conflict', `There are ${mostPending} invitations already: revoke some first.`)
      }
      tx.audit({ action: 'invitation.create', target: targetOf(row), detail: { email, role, delivery } })
      return send(tx, row, token)
    })
  }

  /** For a directory: as above, in its transaction. An address that is invited already stays so. The link is for people to make. */
  async function inviteIn(tx: Transaction, wanted: { email: string; name: string; role: Role }): Promise<void> {
    checkAddress(wanted.email)
    const row = await store.insert(tx, { ...wanted, delivery, tokenHash: hashLinkToken(newLinkToken()), ...term() })
    if (!row) return
    const { email, role } = wanted
    tx.audit({ action: 'invitation.create', target: targetOf(row), detail: { email, role, delivery } })
    if (delivery === 'mail') await send(tx, row, '')
  }

  async function withdrawIn(tx: Transaction, email: string): Promise<void> {
    const id = await store.removeFor(tx, email)
    if (id !== undefined) tx.audit({ action: 'invitation.revoke', target: `invitation:${id}`, detail: { email } })
  }

  async function renew(actor: Actor, id: number): Promise<Invited> {
    const token = newLinkToken()
    return db.transaction(actor, async (tx) => {
      const current = await get(tx, id)
      await requireRight(tx, current.role)
      const held = await hold(tx, id)
      checkAddress(held.email)
      const to = { delivery, tokenHash: hashLinkToken(token), expiresAt: term().expiresAt }
      const row = await store.renew(tx, id, to)
      tx.audit({ action: 'invitation.renew', target: targetOf(row), detail: { email: row.email, delivery } })
      return send(tx, row, token)
    })
  }

  function revoke(actor: Actor, id: number): Promise<Invitation> {
    return db.transaction(actor, async (tx) => {
      const current = await get(tx, id)
      await requireRight(tx, current.role)
      const row = await hold(tx, id)
      await store.remove(tx, id)
      tx.audit({ action: 'invitation.revoke', target: targetOf(row), detail: { email: row.email } })
      return toInvitation(row)
    })
  }

  async function send(tx: Transaction, row: store.InvitationRow, token: string): Promise<Invited> {
    const invitation = toInvitation(row)
    if (delivery === 'link') return { invitation, link: linkTo(publicUrl, 'invitations', token) }
    countMail(tx, clock)
    // The job makes the link that it sends: none is ever written down.
    await enqueue(tx, { kind: invitationMail, payload: { invitationId: row.id, version: row.version } })
    return { invitation, link: null }
  }

  function checkAddress(email: string): void {
    if (delivery !== 'mail' || isMailAddress(email)) return
    const errors = [{ pointer: '/email', detail: 'must be an address that mail can be sent to' }]
    throw new Fault('unprocessable', `No mail can be sent to ${email}.`, { errors })
  }

  function term(): { now: Date; expiresAt: Date } {
    const now = clock.now()
    return { now, expiresAt: new Date(now.getTime() + daysValid * 86_400_000) }
  }

  return { list, invite, renew, revoke, inviteIn, withdrawIn }
}

/** An admin could otherwise make themselves an owner by way of another account. */
export function mayInvite(inviter: Role | undefined, role: Role): boolean {
  return inviter === 'owner' || (inviter === 'admin' && role !== 'owner')
}

/** The role that the caller has now, which nobody changes until the transaction ends. */
async function requireRight(tx: Transaction, role: Role): Promise<void> {
  if (!mayInvite(await lockRole(tx, tx.actor.personId), role)) {
    throw new Fault('forbidden', 'Only owners decide who is an owner, and only owners and admins invite.')
  }
  // A token that leaked must not be able to outlive itself in an owner.
  if (role === 'owner') requireSignedInPerson(tx.actor, 'Making an owner')
}

async function get(tx: Transaction, id: number): Promise<store.InvitationRow> {
  const row = await store.find(tx, id)
  if (!row) throw new Fault('not_found', `No invitation ${id}.`)
  return row
}

async function hold(tx: Transaction, id: number): Promise<store.InvitationRow> {
  const row = await store.lock(tx, id)
  if (!row) throw new Fault('not_found', `No invitation ${id}.`)
  requireVersion(tx.actor, row.version)
  return row
}

function targetOf({ id }: store.InvitationRow): string {
  return `invitation:${id}`
}

function toInvitation(row: store.InvitationRow): Invitation {
  const { id, email, name, role, delivery } = row
  const invitation = {
    id,
    email,
    name,
    role,
    delivery,
    invitedBy: row.invited_by,
    mailedAt: row.mailed_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }
  return withVersion(invitation, row.version)
}
