import { type Actor, doneEachTime, systemActor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { type AttemptLimits, endAllSessions, networkOf, rememberNetwork } from '../../sessions/public.ts'
import { hashLinkToken, invalidLink, linkTo, newLinkToken, unknownLinkLimits } from '../invitations/one-time-link.ts'
import { hashNewPassword } from '../passwords/new-password.ts'
import * as store from '../store.ts'
import { claim, isClaimed, markUnclaimed } from './claim-store.ts'
import type { ResetLink } from './reset-contract.ts'
import * as resets from './reset-store.ts'

export const resetMail = 'people.reset-mail'

const minutesValid = 60
const minutesBetweenMails = 5
const clocksDifferMs = 300_000
const notOurs =
  'This account also belongs to other deployments: the person can ask for a reset mail, or the operator can run ' +
  '`gatehouse person reset` on the server.'

const claimed =
  'This person has shown by mail that the address is theirs, and decides alone how they sign in: they can ask for a reset mail, ' +
  'or the operator can run `gatehouse person reset` on the server.'

/** Takes away how one could sign in besides the password, as far as it was set up since. Answers whether there was any. */
export type RemoveFactorsSince = (tx: IdentityQueryable, personId: number, since: Date) => Promise<boolean>

export type ResetOptions = {
  db: Database
  clock: Clock
  publicUrl: string
  canMail: boolean
  limits: AttemptLimits
  removeFactorsSince: RemoveFactorsSince
}

export type ResetService = ReturnType<typeof createResets>

/** One-time links that set a new password: by mail, from an owner, or from whoever has the server. */
export function createResets({ db, clock, publicUrl, canMail, limits, removeFactorsSince }: ResetOptions) {
  const identities = { query: db.identityQuery }

  /** Writes down that somebody asked, and looks at nothing: what it takes tells nothing about the address. */
  async function request(email: string, address: string, requestId: string): Promise<void> {
    if (!canMail) {
      throw new Fault(
        'not_configured',
        'Gatehouse has no mail server: ask an owner of your deployment for a link. The operator can set GATEHOUSE_SMTP_URL.',
      )
    }
    await limits.guard(requestLimits(address)).begin()
    const instance = systemActor(await resets.firstDeployment(identities), requestId)
    await db.transaction(instance, (tx) => enqueue(tx, { kind: resetMail, payload: { email } }))
  }

  /** The link to be mailed, if the address has an account and was not mailed to a moment ago. */
  async function linkByMail(email: string, isFirstTry: boolean, requestId: string) {
    const account = await db.identity((tx) => store.findAccount(tx, email))
    if (!account) return undefined
    const since = new Date(clock.now().getTime() - minutesBetweenMails * 60_000)
    if (isFirstTry && (await resets.wasMailedSince(identities, account.id, since))) return undefined
    const made = await make(account, 'mail')
    await record(identities, account.id, requestId, { action: 'person.reset-link', detail: { by: 'mail' } })
    return { ...made, to: account.email }
  }

  async function linkByOwner(actor: Actor, personId: number): Promise<ResetLink> {
    if (actor.role !== 'owner') throw new Fault('forbidden', 'Only owners make links that set a new password.')
    const member = await store.find(db.as(actor), personId)
    if (!member) throw new Fault('not_found', `No person ${personId} in this deployment.`)
    const { deploymentId } = actor
    if (!(await resets.belongsOnlyTo(identities, personId, deploymentId))) throw new Fault('forbidden', notOurs)
    if (await isClaimed(identities, personId)) throw new Fault('forbidden', claimed)
    const made = await make(member, 'owner', { deploymentId, madeBy: actor.personId })
    // A repetition makes another link instead of showing this one again: it may have been used.
    await db.transaction(doneEachTime(actor), async (tx) =>
      tx.audit({ action: 'person.reset-link', target: `person:${personId}`, detail: { by: 'owner' } }),
    )
    return made
  }

  /** For whoever has the data folder or the database. */
  async function linkByServer(email: string, user: string): Promise<ResetLink> {
    const account = await accountOf(email)
    const made = await make(account, 'server')
    await record(identities, account.id, 'cli', { action: 'person.reset-link', detail: { by: 'server', user } })
    return made
  }

  async function setByServer(email: string, password: string, user: string): Promise<void> {
    const account = await accountOf(email)
    const passwordHash = await hashNewPassword(password, account)
    await db.identity(async (tx) => {
      await resets.lockPerson(tx, account.id)
      await replacePassword(tx, account.id, passwordHash)
      const detail = { by: 'server', user, ...(await takeOver(tx, account.id)) }
      await record(tx, account.id, 'cli', { action: 'person.password-reset', detail })
    })
  }

  async function use(token: string, password: string, asked: { address: string; requestId: string }): Promise<void> {
    const guard = limits.guard(unknownLinkLimits(asked.address))
    await guard.begin()
    const hash = hashLinkToken(token)
    const found = await resets.find(identities, hash)
    if (!found || found.expires_at <= clock.now()) throw invalidLink()
    await guard.succeed()
    const personId = found.person_id
    const account = await store.findAccountById(identities, personId)
    if (!account) throw invalidLink()
    const passwordHash = await hashNewPassword(password, account)
    await db.identity(async (tx) => {
      await resets.lockPerson(tx, personId)
      const taken = await resets.take(tx, hash)
      if (!taken || !(await stillCounts(tx, taken))) throw invalidLink()
      await replacePassword(tx, personId, passwordHash)
      // They have proved who they are: whoever guesses at the account from elsewhere does not keep them out.
      await rememberNetwork(tx, personId, networkOf(asked.address), clock.now())
      if (taken.kind === 'owner') await markUnclaimed(tx, personId, clock.now())
      const more = taken.kind === 'owner' ? {} : await takeOver(tx, personId)
      // Before it counts: no password is set without an event in the audit log.
      const detail = { by: taken.kind, ...more }
      await record(tx, personId, asked.requestId, { action: 'person.password-reset', detail })
    })
  }

  /**
   * The holder of the address gets the account without what others set up on it: whoever gave it a password before may have added
   * a second factor, which would keep the holder out, or a passkey, which would let others in.
   */
  async function takeOver(tx: IdentityQueryable, personId: number): Promise<Record<string, string>> {
    const since = await claim(tx, personId, clock.now())
    if (!since) return {}
    const had = await removeFactorsSince(tx, personId, new Date(since.getTime() - clocksDifferMs))
    return had ? { claimed: 'yes', factors: 'removed' } : { claimed: 'yes' }
  }

  async function make(
    { id: personId, email }: { id: number; email: string },
    kind: resets.NewReset['kind'],
    onlyIn?: resets.NewReset['onlyIn'],
  ) {
    const token = newLinkToken()
    const now = clock.now()
    const expiresAt = new Date(now.getTime() + minutesValid * 60_000)
    const tokenHash = hashLinkToken(token)
    const made = { personId, email, kind, tokenHash, now, expiresAt, ...(onlyIn && { onlyIn }) }
    if (!(await resets.put(identities, made)))
      throw new Fault('conflict', 'The account was given another address just now; try again.')
    return { link: linkTo(publicUrl, 'reset-password', token), expiresAt: expiresAt.toISOString() }
  }

  /** In the audit log of every deployment that the account belongs to. */
  async function record(
    from: typeof identities,
    personId: number,
    requestId: string,
    entry: { action: string; detail: Record<string, string> },
  ): Promise<void> {
    for (const deploymentId of await resets.deploymentsOf(from, personId)) {
      await db.transaction(systemActor(deploymentId, requestId), async (tx) =>
        tx.audit({ ...entry, target: `person:${personId}` }),
      )
    }
  }

  async function accountOf(email: string) {
    const account = await db.identity((tx) => store.findAccount(tx, email))
    if (!account) throw new Fault('not_found', `There is no account for ${email}.`)
    return account
  }

  return { request, linkByMail, linkByOwner, linkByServer, setByServer, use }
}

function requestLimits(address: string) {
  const message = 'Too many requests for a new password from this address.'
  return [{ key: `reset request ${networkOf(address)}`, most: 10, seconds: 600, message }]
}

/** An owner's link must not reach into what the account has become part of since. */
async function stillCounts(tx: IdentityQueryable, { person_id, only_in, made_by }: resets.ResetRow): Promise<boolean> {
  if (only_in === null) return true
  if (await isClaimed(tx, person_id)) return false
  return (await resets.belongsOnlyTo(tx, person_id, only_in)) && (await resets.isOwner(tx, made_by!, only_in))
}

async function replacePassword(tx: IdentityQueryable, personId: number, passwordHash: string): Promise<void> {
  await store.setPassword(tx, personId, passwordHash)
  await endAllSessions(tx, personId)
}
