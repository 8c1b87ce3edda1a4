import type { Transaction } from '../../kernel/database.ts'
import * as codes from './codes.ts'
import type { Shown } from './guardrails.ts'
import type { Remember } from './hold.ts'
import { afterSighting, type Standing } from './lifecycle.ts'
import type { Observed } from './observed.ts'
import { createPacker, type FindingBatch, type PackedFindings } from './pack.ts'
import * as store from './reconcile-store.ts'
import { type Transition, transition } from './transition-store.ts'

/** What one source says about one ref of a repository, or about one of its pull requests. */
export type Observation = {
  repositoryId: number
  ref: string
  /** 0 for the ref itself. */
  pullRequest: number
  /** sarif:<tool>, osv, malware. */
  source: string
  /** 0 where no scan brought it. */
  scanId: number
  /** When it was made, where that is not now. */
  at?: Date | undefined
  /** All there is: what this source had here before and is not in it is fixed. */
  complete: boolean
  /** What the history says about findings that are fixed by this, by fingerprint, where it is not plain that they are. */
  whyFixed?: ReadonlyMap<string, string> | undefined
}

/** What became of the observations. */
export type Tally = { observed: number; raised: number; reopened: number }

export type Reconciled = Tally & {
  fixed: number
  /** Left out of a pull request, because their rule is disabled. */
  disabled: number
  /** Ids of those that were raised or reopened. */
  newIds: number[]
  /** Part by part, where they came in parts. */
  parts: Tally[]
}

/** Which findings a pull request shows. */
type Guardrails = (tx: Transaction) => Promise<(product: Observed['product'], ruleId: string) => Shown>

export type Reconcile = (
  tx: Transaction,
  observation: Observation & { observed: readonly Observed[] },
) => Promise<Reconciled>

/** The same for observations that were packed where they were read; one that is in two parts counts in the first. */
export type ReconcilePacked = (
  tx: Transaction,
  observation: Observation,
  parts: readonly PackedFindings[],
) => Promise<Reconciled>

export function createReconcile(
  guardrails: Guardrails,
  remember: Remember = async () => undefined,
): { reconcile: Reconcile; reconcilePacked: ReconcilePacked } {
  function reconcile(
    tx: Transaction,
    observation: Observation & { observed: readonly Observed[] },
  ): Promise<Reconciled> {
    const packer = createPacker()
    for (const observed of observation.observed) packer.add(observed)
    return reconcilePacked(tx, observation, [packer.finish()])
  }

  /** Everything an observation changes, in the caller's transaction; the repository is held until that ends. */
  async function reconcilePacked(
    tx: Transaction,
    observation: Observation,
    parts: readonly PackedFindings[],
  ): Promise<Reconciled> {
    const { repositoryId, pullRequest, scanId, source, at } = observation
    const exposed = await store.lockRepository(tx, repositoryId)
    const streamId = await store.openStream(tx, observation)
    const ruleIds = await store.identifyRules(
      tx,
      source,
      parts.flatMap((part) => part.rules),
    )
    const shown = pullRequest > 0 ? await guardrails(tx) : () => 'shown' as const
    const known = await store.listStanding(tx, streamId)
    const ignored = await store.listIgnored(tx, repositoryId, streamId)
    const result: Reconciled = { ...nothing(), fixed: 0, disabled: 0, newIds: [], parts: [] }
    const seen = new Set<string>()
    const transitions: Transition[] = []
    const touched = new Set<number>()
    let rulesBefore = 0
    for (const part of parts) {
      const tally = nothing()
      const modes = part.rules.map((rule) => shown(rule.product, rule.externalId))
      const context = {
        repositoryId,
        streamId,
        pullRequest,
        scanId,
        at,
        exposed,
        ruleIds: ruleIds.slice(rulesBefore, rulesBefore + part.rules.length),
        silenced: modes.map((mode) => mode !== 'shown'),
      }
      rulesBefore += part.rules.length
      for (const batch of part.batches) {
        const sorted = sort(batch, { known, ignored, seen, modes, inPullRequest: pullRequest > 0 })
        const ids = await store.raise(tx, context, batch, sorted.fresh)
        await store.refresh(tx, context, batch, sorted.changed)
        tally.observed += sorted.observed
        tally.raised += ids.length
        tally.reopened += sorted.reopened.length
        result.disabled += sorted.disabled
        for (const id of [...ids, ...sorted.reopened]) result.newIds.push(id)
        for (const one of sorted.transitions) transitions.push(one)
        for (const one of [...sorted.changed, ...sorted.transitions]) touched.add(one.id)
      }
      result.parts.push(tally)
    }
    for (const tally of result.parts) {
      result.observed += tally.observed
      result.raised += tally.raised
      result.reopened += tally.reopened
    }
    await transition(tx, transitions, { scanId, note: '', at })
    if (observation.complete) {
      const fixes = fixed(known, seen)
      result.fixed = fixes.length
      const byNote = Map.groupBy(fixes, ({ fingerprint }) => observation.whyFixed?.get(fingerprint) ?? '')
      for (const [note, some] of byNote) await transition(tx, some, { scanId, note, at })
    }
    for (const id of result.newIds) touched.add(id)
    await remember(tx, { repositoryId, scanId, at, findingIds: [...touched] })
    return result
  }

  return { reconcile, reconcilePacked }
}

type Known = {
  known: ReadonlyMap<string, store.StandingRow>
  ignored: ReadonlyMap<string, store.Start>
  seen: Set<string>
  /** By rule. */
  modes: readonly Shown[]
  inPullRequest: boolean
}

/** What is to be done about each observation of a batch. */
function sort({ heads }: FindingBatch, { known, ignored, seen, modes, inPullRequest }: Known) {
  const sorted = {
    fresh: [] as store.Fresh[],
    changed: [] as store.Changed[],
    transitions: [] as Transition[],
    reopened: [] as number[],
    observed: 0,
    disabled: 0,
  }
  heads.fingerprint.forEach((fingerprint, at) => {
    const rule = heads.rule[at]! - 1
    if (seen.has(fingerprint)) return
    const row = known.get(fingerprint)
    // What stands already is still there, and nobody fixed it: it is no longer shown.
    if (modes[rule] === 'left-out' && (!row || row.state === fixedState)) {
      sorted.disabled++
      return
    }
    seen.add(fingerprint)
    sorted.observed++
    const cause = codes.cause.word(heads.cause[at]!)
    if (!row) {
      const start = ignored.get(fingerprint) ?? startOf(afterSighting(undefined, { seen: true, cause })!)
      sorted.fresh.push({ ordinal: at + 1, ...start })
      return
    }
    const silenced = modes[rule] !== 'shown' || (inPullRequest && heads.suppressed[at]!)
    if (row.digest !== heads.digest[at] || row.silenced !== silenced) {
      sorted.changed.push({ ordinal: at + 1, id: row.id })
    }
    const next = afterSighting(standingOf(row), { seen: true, cause })
    if (!next) return
    sorted.transitions.push({ id: row.id, ...startOf(next) })
    if (row.state === fixedState) sorted.reopened.push(row.id)
  })
  return sorted
}

/** What is known and was not seen. */
function fixed(known: ReadonlyMap<string, store.StandingRow>, seen: ReadonlySet<string>) {
  const transitions: (Transition & { fingerprint: string })[] = []
  for (const row of known.values()) {
    const next = seen.has(row.fingerprint) ? undefined : afterSighting(standingOf(row), { seen: false })
    if (next) transitions.push({ id: row.id, fingerprint: row.fingerprint, ...startOf(next) })
  }
  return transitions
}

const fixedState = codes.state.code('fixed')

function nothing(): Tally {
  return { observed: 0, raised: 0, reopened: 0 }
}

function standingOf(row: store.StandingRow): Standing {
  const decidedBy = codes.decider.word(row.decided_by)
  const cause = decidedBy === 'rule' ? codes.cause.word(row.decider_id) : ''
  return { state: codes.state.word(row.state), decidedBy, cause }
}

function startOf({ state, decidedBy, cause }: Standing) {
  return {
    state: codes.state.code(state),
    reason: 0,
    decidedBy: codes.decider.code(decidedBy),
    deciderId: codes.cause.code(cause),
  }
}
