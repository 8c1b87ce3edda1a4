import * as codes from '../../../domain/finding-codes.ts'
import type { Elsewhere } from '../identity/elsewhere.ts'
import type { Start } from '../identity/elsewhere-store.ts'
import { storedContext } from '../identity/pairing.ts'
import type { Recognition } from '../identity/recognise.ts'
import type { Shown } from '../lifecycle/guardrails.ts'
import { afterEnd, afterSighting, type Decision, withoutDecision } from '../lifecycle/lifecycle.ts'
import type { Transition } from '../lifecycle/transition-store.ts'
import type { Comparison } from '../pull-requests/base.ts'
import type { FindingBatch } from './pack.ts'
import type * as store from './reconcile-store.ts'

type Known = {
  recognition: Recognition<store.StoredFindingRow>
  base: Comparison
  elsewhere: Elsewhere
  /** What was decided about it where it stood before. */
  before: (fingerprint: string) => Start | undefined
  seen: Set<store.StoredFindingRow>
  /** By rule. */
  modes: readonly Shown[]
  inPullRequest: boolean
}

export type NotedTransition = Transition & { note: string }

/** What is to be done about each observation of a batch. */
export function planChanges(
  batch: FindingBatch,
  { recognition, base, elsewhere, before, seen, modes, inPullRequest }: Known,
) {
  const { heads } = batch
  const { rows, renamed, repeated, onBase } = recognition.of(batch)
  const sorted = {
    fresh: [] as store.Fresh[],
    changed: [] as store.Changed[],
    transitions: [] as NotedTransition[],
    contexts: [] as store.Surroundings[],
    reopened: [] as number[],
    observed: 0,
    disabled: 0,
    inherited: 0,
    undetermined: 0,
  }
  heads.fingerprint.forEach((fingerprint, at) => {
    const rule = heads.rule[at]! - 1
    if (repeated.has(at)) return
    const row = rows[at]
    // What was raised before is a matter of the pull request, whatever its log is compared with.
    if (onBase.has(at) || (inPullRequest && !row && heads.baseline[at] === 'unchanged')) {
      sorted.observed++
      sorted.inherited++
      return
    }
    if (!row && !base.isKnown && !base.raiseUnknown && heads.baseline[at] !== 'new') {
      sorted.observed++
      sorted.undetermined++
      return
    }
    // What stands already is still there, and nobody fixed it: it is no longer shown.
    if ((modes[rule] === 'left-out' || heads.leftOut[at]) && (!row || isOver(row))) {
      sorted.disabled++
      return
    }
    sorted.observed++
    const cause = codes.cause.word(heads.cause[at]!)
    const context = heads.context[at]!
    if (!row) {
      const decided = before(fingerprint) ?? elsewhere(fingerprint, context)
      const start = decided ?? startOf(afterSighting(undefined, { seen: true, cause })!)
      sorted.fresh.push({ ordinal: at + 1, fingerprint: renamed.get(at), ...start })
      return
    }
    seen.add(row)
    const silenced = modes[rule] !== 'shown' || (inPullRequest && heads.suppressed[at]!)
    if (row.digest !== heads.digest[at] || row.silenced !== silenced) {
      sorted.changed.push({ ordinal: at + 1, id: row.id })
    }
    const stored = storedContext(context)
    // A log without code takes nothing away from what is known of it.
    if (stored !== '' && stored !== row.context) sorted.contexts.push({ id: row.id, context: stored })
    const why = recognition.reopened.get(row)
    const next = why ? withoutDecision(cause) : afterSighting(decisionOf(row), { seen: true, cause })
    if (!next) return
    sorted.transitions.push({ id: row.id, note: why ?? '', ...startOf(next) })
    if (isOver(row) || (why && next.state === 'reopened')) sorted.reopened.push(row.id)
  })
  return sorted
}

/** What was not seen any more; undefined where it stays as it is. */
export function fixOf(row: store.StoredFindingRow): Transition | undefined {
  const next = afterSighting(decisionOf(row), { seen: false })
  return next && { id: row.id, ...startOf(next) }
}

/** What stood open in a pull request and stands on its base by now; undefined where it did not. */
export function arrivalOf(row: store.StoredFindingRow): NotedTransition | undefined {
  const next = afterEnd(decisionOf(row))
  return next && { id: row.id, note: 'The base of the pull request has it by now.', ...startOf(next) }
}

const fixedState = codes.state.code('fixed')
const endedState = codes.state.code('ended')

export function isOver({ state }: store.StoredFindingRow): boolean {
  return state === fixedState || state === endedState
}

function decisionOf(row: store.StoredFindingRow): Decision {
  const decidedBy = codes.decider.word(row.decided_by)
  const cause = decidedBy === 'rule' ? codes.cause.word(row.decider_id) : ''
  return { state: codes.state.word(row.state), decidedBy, cause }
}

function startOf({ state, decidedBy, cause }: Decision) {
  return {
    state: codes.state.code(state),
    reason: 0,
    decidedBy: codes.decider.code(decidedBy),
    deciderId: codes.cause.code(cause),
  }
}
