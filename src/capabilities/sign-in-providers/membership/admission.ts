import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { findAccount, isShutOut, lockIfIn, lockIfOnlyIn } from '../../people/public.ts'
import { domainOf } from '../flow/claims.ts'
import { ProviderProblem } from '../issuer/provider-problem.ts'
import { noteUsed, type ProviderRow } from '../store.ts'
import { grantedTo } from './granted.ts'
import * as identities from './identity-store.ts'
import { settle } from './settle.ts'

/** Somebody whom the provider has recognised. */
export type Recognised = {
  subject: string
  groups: string[]
  email: string
  name: string
  isVerified: boolean
}

/** The person they are here, or that the owner of an account has to say so first. */
type Admission = { personId: number } | 'confirm'

type Home = { deploymentId: number; provider: ProviderRow; requestId: string }

export type Admissions = ReturnType<typeof createAdmissions>

/** Decides who somebody is here, and what they get, from what a provider says about them. */
export function createAdmissions({ db, clock }: { db: Database; clock: Clock }) {
  const anybody = { query: db.identityQuery }

  async function admit(who: Recognised, home: Home): Promise<Admission> {
    const known = await identities.findPerson(anybody, subjectOf(who, home))
    if (known !== undefined) return settled(known, who, home)
    requireVouchedAddress(who, home.provider)
    const account = await db.identity((tx) => findAccount(tx, who.email))
    if (!account) return create(who, home)
    if (!(await linkByAddress(account.id, who, home))) return 'confirm'
    return settled(account.id, who, home, (tx) => auditLink(tx, account.id, who, home))
  }

  /** The owner of the account has said so themselves. */
  async function linkConfirmed(personId: number, who: Recognised, home: Home): Promise<void> {
    const subject = subjectOf(who, home)
    const isNew = await identities.link(anybody, subject, personId)
    if (!isNew && (await identities.findPerson(anybody, subject)) !== personId) {
      throw new ProviderProblem('This account at the provider is linked with somebody else here.')
    }
    await settled(personId, who, home, (tx) => auditLink(tx, personId, who, home))
  }

  /** With an address alone: only where nobody else relies on the account, and nobody at this issuer has it already. */
  function linkByAddress(personId: number, who: Recognised, home: Home): Promise<boolean> {
    const { deploymentId, provider } = home
    const subject = subjectOf(who, home)
    return db.identity(async (tx) => {
      const mayLink = provider.instanceWide
        ? await lockIfIn(tx, personId, deploymentId)
        : await lockIfOnlyIn(tx, personId, deploymentId)
      if (!mayLink || (await identities.hasIdentityAt(tx, subject, personId))) return false
      return identities.link(tx, subject, personId)
    })
  }

  async function create(who: Recognised, home: Home): Promise<Admission> {
    const granted = grantedTo(who.groups, home.provider)
    if (granted.role === undefined) throw noGroup()
    const id = await identities.nextAccountId(anybody)
    const made = await inHome(id, home, async (tx) => {
      const account = { id, providerId: home.provider.id, email: who.email, name: who.name }
      if (!(await identities.createAccount(tx, account))) return false
      await identities.link(tx, subjectOf(who, home), id)
      await settle(tx, id, granted)
      await noteUsed(tx, home.provider.id, clock.now())
      tx.audit({
        action: 'person.create',
        target: `person:${id}`,
        detail: { email: who.email, provider: home.provider.id },
      })
      return true
    })
    // Somebody made it at the same time: it is there now.
    return made ? { personId: id } : admit(who, home)
  }

  async function settled(
    personId: number,
    who: Recognised,
    home: Home,
    more: (tx: Transaction) => void = () => {},
  ): Promise<Admission> {
    const outcome = await inHome(personId, home, async (tx) => {
      more(tx)
      await noteUsed(tx, home.provider.id, clock.now())
      return settle(tx, personId, grantedTo(who.groups, home.provider))
    })
    // People of other deployments sign in at a provider of the whole instance without being members where it belongs.
    if (!home.provider.instanceWide && outcome === 'no group') throw noGroup()
    if (!home.provider.instanceWide && outcome === 'suspended') throw suspended()
    if (await isShutOut(anybody, personId, clock.now())) throw suspended()
    return { personId }
  }

  function inHome<T>(personId: number, { deploymentId, requestId }: Home, work: (tx: Transaction) => Promise<T>) {
    return db.transaction({ ...systemActor(deploymentId, requestId), personId }, work)
  }

  return { admit, linkConfirmed }
}

function subjectOf({ subject }: Recognised, { deploymentId, provider }: Home): identities.Subject {
  return { deploymentId, issuer: provider.issuer, subject }
}

/** The same words whether the address has an account or not. */
function requireVouchedAddress({ email, isVerified }: Recognised, { domains }: ProviderRow): void {
  if (!domains.includes(domainOf(email))) {
    throw new ProviderProblem('Your e-mail address is not of a domain that this provider may speak for.')
  }
  if (!isVerified) {
    throw new ProviderProblem('It does not say that your e-mail address is verified.')
  }
}

function auditLink(tx: Transaction, personId: number, { subject }: Recognised, { provider }: Home): void {
  tx.audit({ action: 'person.link', target: `person:${personId}`, detail: { provider: provider.id, subject } })
}

function suspended(): ProviderProblem {
  return new ProviderProblem('Your account is suspended here. Ask whoever looks after the accounts of your company.')
}

function noGroup(): ProviderProblem {
  return new ProviderProblem('You are in no group that may come in. Ask whoever looks after your groups.')
}
