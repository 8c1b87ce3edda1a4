import type { Transaction } from '../../kernel/database.ts'
import * as codes from './codes.ts'
import type { Shown } from './guardrails.ts'
import { afterSighting, type Standing } from './lifecycle.ts'
import type { Observed } from './observed.ts'
import { createPacker, type PackedFindings } from './pack.ts'
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
  /** All there is: what this source had here before and is not in it is fixed. */
  complete: boolean
}

export type Reconciled = {
  streamId: number
  /** How many were observed, and what became of them. */
  observed: number
  raised: number
  reopened: number
  fixed: number
  /** Left out of a pull request, because their rule is disabled. */
  disabled: number
  /** Ids of those that were raised or reopened. */
  newIds: number[]
}

/** Which rules a pull request shows; undefined for everything else, where nothing is hidden. */
export type Guardrails = (tx: Transaction) => Promise<(product: Observed['product'], ruleId: string) => Shown>

export type Reconcile = (
  tx: Transaction,
  observation: Observation & { observed: readonly Observed[] },
) => Promise<Reconciled>

export function createReconcile(guardrails: Guardrails) {
  function reconcile(
    tx: Transaction,
    observation: Observation & { observed: readonly Observed[] },
  ): Promise<Reconciled> {
    const packer = createPacker()
    for (const observed of observation.observed) packer.add(observed)
    return reconcilePacked(tx, observation, packer.finish())
  }

  /** Everything an observation changes, in the caller's transaction; the repository is held until that ends. */
  async function reconcilePacked(
    tx: Transaction,
    observation: Observation,
    packed: PackedFindings,
  ): Promise<Reconciled> {
    const { repositoryId, pullRequest, scanId } = observation
    const exposed = await store.lockRepository(tx, repositoryId)
    const streamId = await store.openStream(tx, observation)
    const ruleIds = await store.identifyRules(tx, observation.source, packed.rules)
    const shown = pullRequest > 0 ? await guardrails(tx) : () => 'shown' as const
    const modes = packed.rules.map((rule) => shown(rule.product, rule.externalId))
    const silenced = modes.map((mode) => mode === 'silenced')
    const known = await store.listStanding(tx, streamId)
    const ignored = await store.listIgnored(tx, repositoryId, streamId)
    const result: Reconciled = {
      streamId,
      observed: 0,
      raised: 0,
      reopened: 0,
      fixed: 0,
      disabled: 0,
      newIds: [],
    }
    const transitions: Transition[] = []
    for (const batch of packed.batches) {
      const fresh: store.Fresh[] = []
      const changed: store.Changed[] = []
      batch.heads.fingerprint.forEach((fingerprint, at) => {
        const rule = batch.heads.rule[at]! - 1
        if (modes[rule] === 'left-out') {
          result.disabled++
          return
        }
        result.observed++
        const cause = codes.cause.word(batch.heads.cause[at]!)
        const row = known.get(fingerprint)
        if (!row) {
          const carried = ignored.get(fingerprint)
          const start = carried ?? startOf(afterSighting(undefined, { seen: true, cause })!)
          fresh.push({ ordinal: at + 1, ...start })
          return
        }
        known.delete(fingerprint)
        if (row.digest !== batch.heads.digest[at] || row.silenced !== silenced[rule]) {
          changed.push({ ordinal: at + 1, id: row.id })
        }
        const next = afterSighting(standingOf(row), { seen: true, cause })
        if (!next) return
        transitions.push({ id: row.id, ...startOf(next), reopens: row.state === codes.state.code('fixed') })
      })
      const context = { repositoryId, streamId, pullRequest, scanId, exposed, ruleIds, silenced }
      const ids = await store.raise(tx, context, batch, fresh)
      result.raised += ids.length
      for (const id of ids) result.newIds.push(id)
      await store.refresh(tx, context, batch, changed)
    }
    if (observation.complete) {
      for (const row of known.values()) {
        const next = afterSighting(standingOf(row), { seen: false })
        if (next) transitions.push({ id: row.id, ...startOf(next), reopens: false })
      }
    }
    for (const { id, state, reopens } of transitions) {
      if (state === codes.state.code('fixed')) result.fixed++
      if (!reopens) continue
      result.reopened++
      result.newIds.push(id)
    }
    await transition(tx, transitions, { scanId, note: '' })
    return result
  }

  return { reconcile, reconcilePacked }
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
