import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import type { ActionType } from '../automation.ts'
import type { DryRunScan } from '../contract.ts'
import type { createFiring } from '../fire.ts'
import { required, targetOf } from '../service.ts'
import * as store from '../store.ts'
import { filterErrors } from './check-filters.ts'
import { type Chooser, createChooser, nameOf } from './choose-subjects.ts'
import type { Filters } from './evaluate.ts'
import { requireBounded } from './filter-budget.ts'

/** A scan of the past, and where it was made. */
export type PastScan = { createdAt: Date; occasion: Occasion & { repository: NonNullable<Occasion['repository']> } }

/** What automations are told by others. */
export type SubjectReads = {
  /** Those of the ids that the actor sees. */
  findings(db: Queryable, actor: Actor, ids: readonly number[]): Promise<Subject[]>
  issues(db: Queryable, actor: Actor, ids: readonly number[]): Promise<Subject[]>
  /** Newest first. */
  lastScans(db: Queryable, actor: Actor, count: number): Promise<PastScan[]>
  /** What a scan raised or reopened. */
  raisedBy(db: Queryable, scan: PastScan): Promise<Subject[]>
}

export type AutomationTrials = ReturnType<typeof createAutomationTrials>

const mostNamed = 100
const mostAtOnce = 500

/** Automations that somebody fires by hand, or wants to see at work before they do. */
export function createAutomationTrials(options: {
  db: Database
  reads: SubjectReads
  act: ReturnType<typeof createFiring>['act']
}) {
  const { db, reads, act } = options

  function fire(
    actor: Actor,
    id: number,
    { findingIds = [], issueIds = [] }: { findingIds?: string[]; issueIds?: string[] },
  ) {
    return db.transaction(actor, async (tx) => {
      const automation = required(await store.find(tx, id), id)
      if (automation.triggerSource !== 'TRIGGER_SOURCE_MANUAL' || !automation.active) {
        throw new Fault(
          'unprocessable',
          `Automation ${id} cannot be run by hand: it is inactive or has another trigger.`,
        )
      }
      if (findingIds.length + issueIds.length > mostAtOnce) {
        throw new Fault('unprocessable', `An automation runs on at most ${mostAtOnce} findings and issues at once.`)
      }
      const given = [
        ...(await reads.findings(tx, actor, findingIds.map(Number))),
        ...(await reads.issues(tx, actor, issueIds.map(Number))),
      ]
      requireAll(given, 'finding', findingIds)
      requireAll(given, 'issue', issueIds)
      const occasion = {
        source: 'TRIGGER_SOURCE_MANUAL',
        repository: null,
        ref: '',
        scanId: 0,
        pullRequest: 0,
      } as const
      const chosen = await createChooser(occasion)('ACTION_TYPE_WEBHOOK', automation.filters, given)
      await act(tx, [automation], occasion, chosen)
      const subjects = chosen.map(nameOf)
      tx.audit({ action: 'automation.fire', target: targetOf(id), detail: { subjects: subjects.length } })
      return { subjects }
    })
  }

  async function dryRun(actor: Actor, id: number, count: number) {
    const automation = required(await store.find(db.as(actor), id), id)
    if (automation.triggerSource !== 'TRIGGER_SOURCE_SCAN') {
      throw new Fault(
        'unprocessable',
        `Automation ${id} is not set off by scans, so they cannot tell what it would do.`,
      )
    }
    return onPastScans(actor, automation, count)
  }

  /** Of what is stored nowhere: how it does what it does is not asked, so an address or a secret need not be there yet. */
  async function tryOut(actor: Actor, draft: { filters: Filters; actionTypes: readonly ActionType[] }, count: number) {
    const { filters } = draft
    const errors = filterErrors(filters)
    if (errors.length > 0)
      throw new Fault('validation_failed', 'The automation cannot be tried; errors says why.', { errors })
    requireBounded([filters])
    return onPastScans(actor, { filters, actions: draft.actionTypes.map((type, at) => ({ id: at + 1, type })) }, count)
  }

  async function onPastScans(actor: Actor, automation: Tried, count: number) {
    const view = db.as(actor)
    const past = await reads.lastScans(view, actor, count)
    const scans: DryRunScan[] = []
    for (const scan of past) {
      const choose = createChooser(scan.occasion)
      const shown = await whatWouldHappen(automation, scan, await reads.raisedBy(view, scan), choose)
      if (shown.actions.length > 0) scans.push(shown)
    }
    return { scans, looked: past.length }
  }

  return { fire, dryRun, tryOut }
}

type Tried = { filters: Filters; actions: readonly { id: number | string; type: ActionType }[] }

async function whatWouldHappen(
  automation: Tried,
  { occasion, createdAt }: PastScan,
  subjects: readonly Subject[],
  choose: Chooser,
): Promise<DryRunScan> {
  const actions: DryRunScan['actions'] = []
  for (const { id, type } of automation.actions) {
    const chosen = await choose(type, automation.filters, subjects)
    const named = chosen.slice(0, mostNamed).map(nameOf)
    if (chosen.length > 0) actions.push({ actionId: String(id), type, subjectCount: chosen.length, subjects: named })
  }
  return {
    scanId: String(occasion.scanId),
    repositoryId: String(occasion.repository.id),
    repositoryName: occasion.repository.name,
    ref: occasion.ref,
    createdAt: createdAt.toISOString(),
    blocked: actions.some(({ type }) => type === 'ACTION_TYPE_BLOCK'),
    actions,
  }
}

function requireAll(given: readonly Subject[], kind: Subject['kind'], ids: readonly string[]): void {
  const known = new Set(given.filter((subject) => subject.kind === kind).map(({ id }) => Number(id)))
  const errors = ids.flatMap((id, at) =>
    known.has(Number(id)) ? [] : [{ pointer: `/${kind}Ids/${at}`, detail: `no ${kind} ${id}` }],
  )
  if (errors.length > 0) throw new Fault('unprocessable', `Some of the ${kind}s are not known.`, { errors })
}
