import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { impossible, overrideSubject } from '../overrides/override-subject.ts'
import { askedVersion, includesVersion, versionPattern } from '../patterns/version-pattern.ts'
import { changeVerdicts } from '../verdicts/change-verdicts.ts'
import { shownVerdict } from '../verdicts/shown-verdict.ts'
import type { Firewall, MaliceOf, Question, Verdict } from '../verdicts/verdict.ts'
import { countAskedExceptions } from '../waiting.ts'
import type { ExceptionDecision, ExceptionWish, FirewallException, RefusedPackage } from './exception-contract.ts'
import { tellLater } from './exception-news.ts'
import { fourEyes } from './exception-settings.ts'
import * as store from './exception-store.ts'
import { vulnerabilityIds } from './known-vulnerabilities.ts'
import { mayBeLifted } from './lift-refusal.ts'

/** What is known about packages and people's decisions about them, from memory. */
export type ExceptionFirewall = Pick<Firewall, 'verdict' | 'nameVerdict'> & {
  maliceOf: MaliceOf
  contactOf(deploymentId: number): string
  refresh(): Promise<void>
  /** The advisories that call any version of a package malicious. */
  advisoriesOf(ecosystem: store.Subject['ecosystem'], name: string): readonly string[]
}

export type ExceptionOptions = {
  db: Database
  clock: Clock
  firewall: ExceptionFirewall
  /** The verdict that a client would get; its registry may be asked. */
  verdictOn(actor: Actor, question: Question): Promise<Verdict>
  /** What its registry says of a version: undefined where that does not have it, null where no registry is asked. */
  publicationOf(
    actor: Actor,
    ecosystem: store.Subject['ecosystem'],
    name: string,
    version: string,
  ): Promise<object | undefined | null>
  /** Why no registry is asked for a name; undefined where one is. None is asked to know it. */
  whyClosed(actor: Actor, ecosystem: store.Subject['ecosystem'], name: string): Promise<string | undefined>
}
export type Exceptions = ReturnType<typeof createExceptions>

const everyVersion = '*'
const mostOpen = 500
const longestDays = 366
const dayMs = 86_400_000

/** Asking for what the firewall refuses, and deciding about it. */
export function createExceptions({ db, clock, firewall, verdictOn, publicationOf, whyClosed }: ExceptionOptions) {
  async function verdictNow(actor: Actor, { ecosystem, name, version }: store.Subject): Promise<Verdict | undefined> {
    const { deploymentId, personId } = actor
    if (version === everyVersion) return firewall.nameVerdict(deploymentId, ecosystem, name, { personId })
    return verdictOn(actor, { ecosystem, name, version })
  }

  /** Every version of a package counts where it is about more than one. */
  function isMalicious({ deploymentId }: Actor, { ecosystem, name, version }: store.Subject): boolean {
    if (version === everyVersion) return firewall.nameVerdict(deploymentId, ecosystem, name)?.rule === 'malicious'
    return firewall.maliceOf(deploymentId, ecosystem, name, version).advisoryIds.length > 0
  }

  /** An exception for what is not there yet would let in whatever is published under that version later. */
  async function requirePublished(actor: Actor, subject: store.Subject): Promise<void> {
    const { ecosystem, name, version } = subject
    if (version === everyVersion) return
    if ((await publicationOf(actor, ecosystem, name, version)) !== undefined) return
    const what = shownSubject(subject)
    throw new Fault('unprocessable', `Its registry does not have ${what}, so there is nothing to let in.`)
  }

  async function requireOpen(actor: Actor, { ecosystem, name }: store.Subject): Promise<void> {
    const closed = await whyClosed(actor, ecosystem, name)
    if (closed) throw new Fault('unprocessable', `No exception changes whom a name is asked of. ${closed}`)
  }

  /** As far as it is known without asking its registry: whoever only looks at a refusal makes no request of ours. */
  async function mayHelp(actor: Actor, subject: store.Subject, { rule, isMissing }: Verdict): Promise<boolean> {
    if (!mayBeLifted(rule) || isMissing || isMalicious(actor, subject)) return false
    return (await whyClosed(actor, subject.ecosystem, subject.name)) === undefined
  }

  async function ask(actor: Actor, { reason, ...wish }: ExceptionWish): Promise<FirewallException> {
    const subject = normalized(wish)
    const verdict = await verdictNow(actor, subject)
    if (!verdict?.refuse) throw new Fault('unprocessable', `${shownSubject(wish)} is not refused.`)
    await requireOpen(actor, subject)
    if (isMalicious(actor, subject)) throw knownMalware(shownSubject(wish))
    if (!mayBeLifted(verdict.rule)) throw new Fault('unprocessable', `No exception lifts this: ${verdict.reason}`)
    await requirePublished(actor, subject).catch(unlessUnreachable)
    const now = clock.now()
    return db.transaction(actor, async (tx) => {
      const { id, isNew } = await store.open(tx, subject, verdict, now)
      if (isNew && (await countAskedExceptions(tx)) > mostOpen)
        throw new Fault('unprocessable', `${mostOpen} requests for exceptions wait already. Ask again later.`)
      const isFirst = await store.addAsker(tx, id, reason, now)
      if (isFirst) tx.audit({ action: 'firewall-exception.ask', target: targetOf(id), detail: { ...subject, reason } })
      if (isNew) await tellLater(tx, id, 'asked')
      return shown((await store.find(tx, id, whose(actor)))!, now)
    })
  }

  async function list(actor: Actor, page: PageRequest, filter: store.ExceptionFilter) {
    const now = clock.now()
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), page, filter, whose(actor), now), page)
    return { exceptions: rows.map((row) => shown(row, now)), ...rest }
  }

  async function get(actor: Actor, id: number): Promise<FirewallException> {
    return shown(required(await store.find(db.as(actor), id, whose(actor)), id), clock.now())
  }

  async function decide(actor: Actor, id: number, { decision, reason, ...wanted }: ExceptionDecision) {
    const known = decision === 'approve' ? await store.find(db.as(actor), id, 'all') : undefined
    if (known?.state === 'open' && !isMalicious(actor, known)) {
      await requireOpen(actor, known)
      await requirePublished(actor, known).catch(unchecked)
    }
    return changed(actor, id, async (tx, row, now) => {
      if (row.state !== 'open') throw new Fault('conflict', `Exception ${id} is decided already: ${row.state}.`)
      const detail = { ecosystem: row.ecosystem, name: row.name, version: row.version, reason }
      if (decision === 'reject') {
        await store.reject(tx, id, reason, now)
        tx.audit({ action: 'firewall-exception.reject', target: targetOf(id), detail })
      } else {
        const grant = await grantFor(tx, row, wanted, now)
        await store.approve(tx, id, reason, grant, now)
        const { versions, teamId, expiresAt } = grant
        const given = { ...detail, versions, teamId, expiresAt: expiresAt.toISOString() }
        tx.audit({ action: 'firewall-exception.approve', target: targetOf(id), detail: given })
      }
      await tellLater(tx, id, 'decided')
    })
  }

  async function grantFor(
    tx: Transaction,
    row: store.ExceptionRow,
    { versions: sent, teamId = null, expiresAt: until }: Omit<ExceptionDecision, 'decision' | 'reason'>,
    now: Date,
  ): Promise<store.Grant> {
    const { ecosystem, name, version } = row
    if ((await fourEyes(tx)) && (await store.hasAsked(tx, row.id, tx.actor.personId)))
      throw new Fault('forbidden', 'You asked for this exception yourself: somebody else has to approve it.')
    if (isMalicious(tx.actor, row)) throw knownMalware(shownSubject(row))
    if (!until) throw impossible('/expiresAt', 'is missing: an exception has an end')
    const expiresAt = new Date(until)
    if (expiresAt <= now) throw impossible('/expiresAt', 'is in the past')
    if (expiresAt.getTime() > now.getTime() + longestDays * dayMs)
      throw impossible('/expiresAt', `is more than ${longestDays} days ahead`)
    const asked = version === everyVersion ? '' : version
    const { version: versions } = overrideSubject({
      ecosystem,
      name,
      version: sent ?? asked,
      effect: 'allow',
      reason: '-',
    })
    if (asked && !includesVersion(versionPattern(ecosystem, versions), askedVersion(ecosystem, asked)))
      throw impossible('/versions', `does not include ${asked}, which was asked for`)
    if (teamId !== null && (await store.teamName(tx, teamId)) === undefined)
      throw impossible('/teamId', `is not a team of this deployment: ${teamId}`)
    const vulnerabilities = await vulnerabilityIds(tx, { ecosystem, name, version: versions })
    const knownAdvisories = [...firewall.advisoriesOf(ecosystem, name), ...vulnerabilities]
    return { versions, teamId, expiresAt, lifts: deniedBy(tx.deploymentId, row), knownAdvisories }
  }

  /** The overrides that deny it now: whoever approves it knows of these, and of no later ones. */
  function deniedBy(deploymentId: number, { ecosystem, name, version, advisoryIds }: store.ExceptionRow): string[] {
    const whole = firewall.nameVerdict(deploymentId, ecosystem, name)?.advisoryIds ?? []
    const own = version === everyVersion ? [] : firewall.verdict(deploymentId, ecosystem, name, version, {}).advisoryIds
    return [...new Set([...advisoryIds, ...whole, ...own])].filter((id) => id.startsWith('override-'))
  }

  function end(actor: Actor, id: number, reason: string): Promise<FirewallException> {
    return changed(actor, id, async (tx, row, now) => {
      if (stateOf(row, now) !== 'approved') throw new Fault('conflict', `Exception ${id} is not in force.`)
      await endEarly(tx, row, reason, now)
    })
  }

  /** Verdicts change with it, so it comes with the lock of the rules. */
  function changed(
    actor: Actor,
    id: number,
    work: (tx: Transaction, row: store.ExceptionRow, now: Date) => Promise<void>,
  ): Promise<FirewallException> {
    const now = clock.now()
    return changeVerdicts({ db, knowledge: firewall }, actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.rowVersion)
      await work(tx, row, now)
      return shown((await store.find(tx, id, 'all'))!, now)
    })
  }

  async function refused(actor: Actor, asked: store.Subject): Promise<RefusedPackage> {
    const subject = normalized(asked)
    const verdict = await verdictNow(actor, subject)
    const { open, last } = await store.standing(db.as(actor), subject, actor.personId)
    const now = clock.now()
    return {
      verdict: verdict ? shownVerdict(verdict) : null,
      contact: firewall.contactOf(actor.deploymentId),
      askerCount: open?.askerCount ?? 0,
      asked: open?.asked ?? false,
      mayBeAsked: verdict?.refuse === true && (await mayHelp(actor, subject, verdict)),
      last: last
        ? {
            id: last.id,
            state: stateOf(last, now),
            decisionReason: last.decisionReason,
            decidedAt: last.decidedAt!.toISOString(),
            expiresAt: last.expiresAt?.toISOString() ?? null,
            endedReason: last.endedReason,
          }
        : null,
    }
  }

  return { ask, list, get, decide, end, refused, verdictNow }
}

/** Who asks waits for a decision anyway, which looks again. */
function unlessUnreachable(error: unknown): void {
  if (!(error instanceof Fault) || error.code === 'unprocessable') throw error
}

function unchecked(error: unknown): never {
  if (!(error instanceof Fault) || error.code === 'unprocessable') throw error
  const rest = 'Approve it once the registry answers.'
  throw new Fault('unprocessable', `Nobody knows whether its registry has this version: ${error.message} ${rest}`)
}

/** In a transaction that holds the rules and the exception. `malicious` are the advisories that end it, where these do. */
export async function endEarly(
  tx: Transaction,
  row: store.ExceptionRow,
  reason: string,
  now: Date,
  malicious: readonly string[] = [],
): Promise<void> {
  const { id, ecosystem, name, version } = row
  await store.end(tx, id, reason, now)
  tx.audit({ action: 'firewall-exception.end', target: targetOf(id), detail: { ecosystem, name, version, reason } })
  await tellLater(tx, id, 'ended', malicious)
}

/** Who may decide sees all; who may not, what they asked for. */
function whose(actor: Actor): store.Whose {
  return actor.permissions.has('firewall:write') ? 'all' : actor.personId
}

function normalized<Asked extends store.Subject>({ ecosystem, name, version }: Asked): store.Subject {
  return { ecosystem, name: ecosystems[ecosystem].normalizeName(name), version: version.trim() }
}

function stateOf({ state, expiresAt }: store.ExceptionRow, now: Date): FirewallException['state'] {
  return state === 'approved' && expiresAt !== null && expiresAt <= now ? 'expired' : state
}

function shown(row: store.ExceptionRow, now: Date): FirewallException {
  const { knownAdvisories: _, rowVersion, createdAt, decidedAt, expiresAt, endedAt, askers, ...rest } = row
  const exception = {
    ...rest,
    state: stateOf(row, now),
    askers: askers.map((each) => ({ ...each, askedAt: new Date(each.askedAt).toISOString() })),
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  }
  return withVersion(exception, rowVersion)
}

function shownSubject({ name, version }: { name: string; version: string }): string {
  return version === everyVersion ? name : `${name}@${version}`
}

function knownMalware(what: string): Fault {
  const rest = 'If that is wrong, release the advisory where it is held, or allow the package with an override.'
  return new Fault('unprocessable', `${what} is known to be malicious, which no exception lets in. ${rest}`)
}

function required(row: store.ExceptionRow | undefined, id: number): store.ExceptionRow {
  if (!row) throw new Fault('not_found', `No exception ${id}.`)
  return row
}

function targetOf(id: number): string {
  return `firewall-exception:${id}`
}
