import { type EcosystemId, proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../ecosystems/registry.ts'
import { feedAdvice, shownFeed } from '../../feeds/shown-feed.ts'
import { type Actor, systemActor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import * as exposures from '../firewall-activity/public.ts'
import { namesGiven } from '../firewall-activity/public.ts'
import { seesPackageClients } from '../repositories/public.ts'
import type { Feeds } from './advisories/feeds.ts'
import type { Choices, ChoicesBody, FirewallState, ListFilter, NewOverride, Override } from './contract.ts'
import { liftRefusal, opensName } from './exceptions/lift-refusal.ts'
import { adviceOf } from './exceptions/refusal-advice.ts'
import type { PackageName } from './exposure/exposure-store.ts'
import { recheck } from './exposure/recheck.ts'
import * as overrides from './overrides/override-store.ts'
import { exceptionNames, impossible, overrideSubject } from './overrides/override-subject.ts'
import type { Decision, HeldAdvisory } from './overrides/review-contract.ts'
import * as held from './overrides/review-store.ts'
import * as choices from './overrides/settings-store.ts'
import { namesCovering } from './patterns/name-pattern.ts'
import { archiveOf } from './rules/archive-store.ts'
import { createPackageKnowledge } from './rules/package-knowledge.ts'
import { changeVerdicts } from './verdicts/change-verdicts.ts'
import { defaultSettings } from './verdicts/firewall-configuration.ts'
import { judge, judgeName, maliceOf as malice } from './verdicts/judge.ts'
import type { Firewall, MaliceOf, Verdict } from './verdicts/verdict.ts'
import type { VerdictDataKeeper } from './verdicts/verdict-data.ts'

export type FirewallOptions = {
  db: Database
  clock: Clock
  knowledge: Pick<
    VerdictDataKeeper,
    'current' | 'configurationOf' | 'isNamed' | 'exceptionsOf' | 'contactOf' | 'refresh'
  >
  feeds: Pick<Feeds, 'list'>
  publicUrl: string
}
export type FirewallService = ReturnType<typeof createFirewallService>

/** More of one scope tell nothing more about a burst. */
const mostNames = 30

/** What is let in, and what people decided about it. */
export function createFirewallService({ db, clock, knowledge, feeds, publicUrl }: FirewallOptions) {
  const packages = createPackageKnowledge({ db, clock })
  const changing = { db, knowledge }

  const verdict: Firewall['verdict'] = (deploymentId, ecosystem, name, version, more): Verdict => {
    const now = clock.now()
    const known = packages.peek(deploymentId, ecosystem, name)
    const archive = more?.archive ?? (known && archiveOf(known.archives, ecosystem, version, more?.digest))
    const question = { ecosystem, name, version, ...known, ...more, archive }
    const judged = judge(knowledge.current(), knowledge.configurationOf(deploymentId), question, now)
    const isMalicious = () => maliceOf(deploymentId, ecosystem, name, version)
    return liftRefusal(judged, knowledge.exceptionsOf(deploymentId), question, isMalicious, now)
  }

  const prepare: Firewall['prepare'] = (deploymentId, ecosystem, name) => {
    const configuration = knowledge.configurationOf(deploymentId)
    if (!configuration) return undefined
    const isNeeded =
      configuration.list.needsPackage(ecosystem) || (configuration.choices.get(ecosystem)?.minimumAgeHours ?? 0) > 0
    return isNeeded ? packages.load(deploymentId, ecosystem, name) : undefined
  }

  const nameVerdict: Firewall['nameVerdict'] = (deploymentId, ecosystem, name, { gone, personId } = {}) => {
    const now = clock.now()
    const judged = judgeName(
      knowledge.current(),
      knowledge.configurationOf(deploymentId),
      { ecosystem, name, gone },
      now,
    )
    const isOpen = judged && opensName(judged, knowledge.exceptionsOf(deploymentId), { ecosystem, name, personId }, now)
    return isOpen ? undefined : judged
  }

  const audience: Firewall['audience'] = (deploymentId, ecosystem, name, personId) => {
    const own = knowledge.exceptionsOf(deploymentId).inForce(ecosystem, name, personId, clock.now())
    return own.flatMap(({ id, members }) => (members ? [id] : [])).join(',')
  }

  const advice: Firewall['advice'] = (deploymentId, ecosystem, name, version, rule) =>
    adviceOf(publicUrl, knowledge.contactOf(deploymentId), { deploymentId, ecosystem, name, version, rule })

  const namesBeginning: Firewall['namesBeginning'] = (deploymentId, ecosystem, start) =>
    namesGiven(db.as(systemActor(deploymentId, 'firewall')), { ecosystem, start, limit: mostNames })

  const maliceOf: MaliceOf = (deploymentId, ecosystem, name, version) =>
    malice(knowledge.current(), knowledge.configurationOf(deploymentId), { ecosystem, name, version }, clock.now())

  /** Something was decided about a package that advisories name: who has it is looked at again. */
  function decided(tx: Transaction, { ecosystem, name }: PackageName, configurationVersion: number): Promise<void> {
    return recheck(tx, { names: [{ ecosystem, name }], configurationVersion, isNamed: knowledge.isNamed })
  }

  async function state(isOperator: boolean): Promise<FirewallState> {
    const now = clock.now()
    const known = knowledge.current()
    const list = await feeds.list()
    return {
      ready: known !== undefined && !known.missesFeed,
      advice: feedAdvice(list, isOperator) ?? adviceFor(known),
      packages: known?.index.packageCount ?? 0,
      dataAgeSeconds: known ? Math.max(0, Math.floor((now.getTime() - known.checkedAt.getTime()) / 1000)) : null,
      feeds: list.map((feed) => shownFeed(feed, isOperator)),
    }
  }

  async function listOverrides(actor: Actor, request: PageRequest, filter: ListFilter) {
    const about = packageAskedFor(filter)
    const names = about && namesCovering(about.ecosystem, about.name)
    const found = await overrides.list(db.as(actor), request, { ...filter, names, now: clock.now() })
    const { rows, ...page } = cutPage(found, request)
    return { overrides: rows.map(shownOverride), ...page }
  }

  function override(actor: Actor, sent: NewOverride): Promise<Override> {
    const { ecosystem, effect, reason } = sent
    const subject = overrideSubject(sent)
    const expiresAt = sent.expiresAt ? new Date(sent.expiresAt) : null
    const now = clock.now()
    if (expiresAt && expiresAt <= now) throw impossible('/expiresAt', 'is in the past')
    return changeVerdicts(changing, actor, async (tx, configurationVersion) => {
      const row = await overrides.insert(tx, { ecosystem, ...subject, effect, reason, expiresAt }, now)
      const { name, version } = subject
      const what = `${ecosystem} ${name}${version && `@${version}`}`
      if (!row)
        throw new Fault('conflict', `There is already an override that says ${effect} for ${what}; delete it first.`)
      tx.audit({
        action: 'firewall-override.create',
        target: `firewall-override:${row.id}`,
        detail: { ...sent, ...subject },
      })
      await decided(tx, row, configurationVersion)
      return shownOverride(row)
    })
  }

  function deleteOverride(actor: Actor, id: number): Promise<Override> {
    return changeVerdicts(changing, actor, async (tx, configurationVersion) => {
      const row = await overrides.remove(tx, id)
      if (!row) throw new Fault('not_found', `No override ${id}.`)
      const { ecosystem, name, version, effect } = row
      const detail = { ecosystem, name, version, effect }
      tx.audit({ action: 'firewall-override.delete', target: `firewall-override:${id}`, detail })
      await decided(tx, row, configurationVersion)
      return shownOverride(row)
    })
  }

  async function getChoices(actor: Actor): Promise<Choices[]> {
    const rows = new Map((await choices.list(db.as(actor))).map((row) => [row.ecosystem, row]))
    return proxiedEcosystemIds.map((ecosystem) => shownChoices(rows.get(ecosystem) ?? notChosen(ecosystem)))
  }

  async function getChoice(actor: Actor, ecosystem: EcosystemId): Promise<Choices> {
    return shownChoices((await choices.find(db.as(actor), ecosystem)) ?? notChosen(ecosystem))
  }

  function putChoices(actor: Actor, body: ChoicesBody): Promise<Choices> {
    const { held, mirrorHosts } = defaultSettings
    const sent = { held, mirrorHosts, ...body }
    const { ecosystem } = sent
    const ageExceptions = exceptionNames(ecosystem, sent.ageExceptions)
    return changeVerdicts(changing, actor, async (tx) => {
      requireVersion(actor, ((await choices.find(tx, ecosystem)) ?? notChosen(ecosystem)).version)
      const row = await choices.put(tx, { ...sent, ageExceptions })
      tx.audit({ action: 'firewall-settings.update', target: `firewall-settings:${ecosystem}`, detail: { ...sent } })
      return shownChoices(row)
    })
  }

  async function listHeld(actor: Actor, request: PageRequest, filter: ListFilter) {
    const { rows, ...page } = cutPage(await held.list(db.as(actor), request, filter), request)
    return { heldAdvisories: rows.map(shownHeld), ...page }
  }

  function decide(actor: Actor, id: number, { decision, reason }: Decision): Promise<HeldAdvisory> {
    const state = decision === 'confirm' ? 'confirmed' : 'released'
    return changeVerdicts(changing, actor, async (tx, configurationVersion) => {
      const row = await held.decide(tx, id, { state, reason, at: clock.now() })
      if (!row) throw new Fault('not_found', `No held advisory ${id}.`)
      const { advisoryId, ecosystem, name } = row
      const detail = { advisoryId, ecosystem, name, reason }
      tx.audit({ action: `held-advisory.${decision}`, target: `held-advisory:${id}`, detail })
      await decided(tx, row, configurationVersion)
      return shownHeld(row)
    })
  }

  async function listExposures(actor: Actor, request: PageRequest, filter: ListFilter) {
    const reader = db.as(actor)
    // Who fetched what is for owners and admins, and for whom they show the clients' repository to; one's own is one's own.
    const seesAll = await seesPackageClients(reader, actor)
    if (!seesAll && filter.personId !== undefined && filter.personId !== actor.personId)
      return { exposures: [], hasMore: false, cursor: '' }
    const asked = { ...filter, ...packageAskedFor(filter) }
    const whose = seesAll ? asked : { ...asked, personId: actor.personId }
    const { rows, ...page } = cutPage(await exposures.listExposures(reader, request, whose), request)
    return { exposures: rows.map(shownExposure), ...page }
  }

  return {
    listExposures,
    verdict,
    prepare,
    nameVerdict,
    audience,
    advice,
    noteArchive: packages.noteArchive,
    namesBeginning,
    maliceOf,
    packages,
    state,
    listOverrides,
    override,
    deleteOverride,
    getChoice,
    getChoices,
    putChoices,
    listHeld,
    decide,
  }
}

/** In its stored form; undefined where no package was asked for. */
function packageAskedFor({ ecosystem, name }: ListFilter): { ecosystem: EcosystemId; name: string } | undefined {
  if (name === undefined) return undefined
  if (ecosystem === undefined) {
    const errors = [{ pointer: '/ecosystem', detail: 'must be given with name' }]
    throw new Fault('validation_failed', 'A name is looked up in its ecosystem: give ecosystem too.', { errors })
  }
  return { ecosystem, name: ecosystems[ecosystem].normalizeName(name) }
}

function adviceFor(known: { missesFeed: boolean } | undefined): string {
  if (known)
    return known.missesFeed ? 'Not every feed has come in yet. What no advisory names is undetermined until then.' : ''
  return "No advisories are loaded. Set GATEHOUSE_FEED, or run 'gatehouse feed sync' with a folder, file or URL of them."
}

function shownOverride({ createdAt, expiresAt, ...row }: overrides.OverrideRow): Override {
  return { ...row, createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null }
}

function notChosen(ecosystem: EcosystemId): choices.SettingsRow {
  return { ecosystem, ...defaultSettings, version: 0 }
}

function shownChoices({ ageExceptions, mirrorHosts, version, ...row }: choices.SettingsRow): Choices {
  return withVersion({ ...row, ageExceptions: [...ageExceptions], mirrorHosts: [...mirrorHosts] }, version)
}

function shownHeld({ createdAt, decidedAt, ...row }: held.ReviewRow): HeldAdvisory {
  return { ...row, createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null }
}

function shownExposure({ fetchedAt, foundAt, withdrawnAt, ...row }: exposures.ExposureRow) {
  return {
    ...row,
    fetchedAt: fetchedAt.toISOString(),
    foundAt: foundAt.toISOString(),
    withdrawnAt: withdrawnAt?.toISOString() ?? null,
  }
}
