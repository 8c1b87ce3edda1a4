import type { Fire, Occasion, Subject, TriageByAutomation } from '../../domain/trigger-event.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import { createReadAhead } from '../../kernel/database/read-ahead.ts'
import { enqueueMany } from '../../kernel/jobs/outbox.ts'
import { type ActionPayload, actionKind, type Draft, draftsFor } from './actions/drafts.ts'
import * as runs from './actions/run-store.ts'
import { createChooser, nameOf } from './rules/choose-subjects.ts'
import type { ActionRow, AutomationRow } from './store.ts'
import * as store from './store.ts'

/** Who carries out a decision about each kind of subject. */
export type Deciders = Partial<Record<Subject['kind'], TriageByAutomation>>

const waitingFor = createReadAhead(store.listWaiting)

/** Of the waiting automations and what an event is about: what is done in its transaction, and what is written down for later. */
export function createFiring(deciders: Deciders) {
  const onEvent: Fire = async (tx, event) => {
    const waiting = await waitingFor.take(tx, event.source)
    if (waiting.length === 0) return { blockedBy: [] }
    const { subjects, ...occasion } = event
    // Most actions are one run each.
    const expected = waiting.reduce((sum, { actions }) => sum + actions.length, 0)
    const [given, runIds] = await Promise.all([subjects(tx), runs.nextIds(tx, expected)])
    return act(tx, waiting, occasion, given, runIds)
  }

  /** Decisions come first: what one automation ignores, another neither blocks nor reports. */
  async function act(
    tx: Transaction,
    automations: AutomationRow[],
    occasion: Occasion,
    given: readonly Subject[],
    runIds: readonly number[] = [],
  ) {
    let subjects = [...given]
    const choose = createChooser(occasion)
    const done: runs.NewRun[] = []
    const own = new Map<number, Subject[]>()
    for (const automation of automations) {
      for (const action of automation.actions.filter(({ type }) => type === 'ACTION_TYPE_TRIAGE')) {
        const chosen = await choose(action.type, automation.filters, subjects)
        const changed = await decide(tx, automation, action, chosen)
        if (changed.size === 0) continue
        own.set(automation.id, chosen)
        done.push(
          inTransaction(
            automation,
            action,
            chosen.filter((subject) => changed.has(nameOf(subject))),
          ),
        )
        const triageState = action.config.triageState!
        subjects = subjects.map((subject) => (changed.has(nameOf(subject)) ? { ...subject, triageState } : subject))
      }
    }
    const blockedBy: { id: string; name: string }[] = []
    const blocking: { name: string; findingIds: number[] }[] = []
    const drafts: Draft[] = []
    for (const automation of automations) {
      for (const action of automation.actions.filter(({ type }) => type !== 'ACTION_TYPE_TRIAGE')) {
        const isBlock = action.type === 'ACTION_TYPE_BLOCK'
        const chosen = await choose(action.type, automation.filters, subjects)
        // What it has just decided about itself is still what its other actions are about.
        const about = isBlock ? chosen : (own.get(automation.id) ?? chosen)
        if (about.length === 0) continue
        if (!isBlock) drafts.push(...draftsFor(automation, action, about))
        else {
          blockedBy.push({ id: String(automation.id), name: automation.name })
          const found = about.filter(({ kind }) => kind === 'finding')
          blocking.push({ name: automation.name, findingIds: found.map(({ id }) => Number(id)) })
          done.push(inTransaction(automation, action, about))
        }
      }
    }
    await writeDown(tx, occasion, { done, drafts, runIds })
    return { blockedBy, blocking, decided: own.size > 0 }
  }

  async function decide(tx: Transaction, automation: AutomationRow, action: ActionRow, subjects: readonly Subject[]) {
    const { triageState: state = '', triageReason: reason = 'TRIAGE_REASON_UNSPECIFIED' } = action.config
    const changed = new Set<string>()
    for (const [kind, same] of Map.groupBy(subjects, (subject) => subject.kind)) {
      const ids = await deciders[kind]?.(tx, { subjects: same, state, reason, automationId: automation.id })
      for (const id of ids ?? []) changed.add(`${kind}:${id}`)
    }
    return changed
  }

  return { fire: Object.assign(onEvent, { expect: waitingFor.begin }), act }
}

async function writeDown(
  tx: Transaction,
  occasion: Occasion,
  { done, drafts, runIds }: { done: readonly runs.NewRun[]; drafts: readonly Draft[]; runIds: readonly number[] },
): Promise<void> {
  const count = done.length + drafts.length
  if (count === 0) return
  const ids = count <= runIds.length ? runIds : await runs.nextIds(tx, count)
  const at = new Date().toISOString()
  const jobIds = enqueueMany(
    tx,
    drafts.map(({ lane, payload }, index) => {
      const whole: ActionPayload = { ...payload, runId: ids[done.length + index]!, occasion, at }
      return { kind: actionKind, lane, payload: whole }
    }),
  )
  // The end of the transaction hears of it.
  jobIds.catch(() => {})
  tx.atEnd(async () => {
    const jobs = await jobIds
    const later = drafts.map(({ run }, index) => ({ ...run, jobId: jobs[index]! }))
    const all = [...done, ...later].map((run, index) => ({ ...run, id: ids[index]! }))
    return [runs.insertion(tx, occasion, all)]
  })
}

const mostNamed = 100

function inTransaction(automation: AutomationRow, action: ActionRow, subjects: readonly Subject[]): runs.NewRun {
  return {
    automationId: automation.id,
    actionId: action.id,
    actionType: action.type,
    subjectCount: subjects.length,
    subjects: subjects.slice(0, mostNamed).map(nameOf),
    jobId: 0,
  }
}
