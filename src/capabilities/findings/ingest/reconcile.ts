import type { Transaction } from '../../../kernel/database/database.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { listEnding } from '../branches/unsearched-store.ts'
import { readElsewhere } from '../identity/elsewhere.ts'
import { listElsewhere, type Start } from '../identity/elsewhere-store.ts'
import { takeNewNames } from '../identity/former-names.ts'
import { rename } from '../identity/former-names-store.ts'
import { namesIn } from '../identity/names-in.ts'
import { isIgnoredByPerson } from '../identity/pairing.ts'
import { recognise } from '../identity/recognise.ts'
import { type FindSuccessors, takeSuccessors } from '../identity/successors.ts'
import type { Shown } from '../lifecycle/guardrails.ts'
import type { ApplyMemories } from '../lifecycle/memory-decisions.ts'
import { endFindings, transition } from '../lifecycle/transition-store.ts'
import { type Base, compareWithBase, noBase, readBase } from '../pull-requests/base.ts'
import { expectDuplicates } from './duplicates.ts'
import type { Observation } from './observation.ts'
import { createPacker, type FindingBatch, type PackedFindings } from './pack.ts'
import { isOver, type NotedTransition, planChanges } from './plan-changes.ts'
import { byNote, listReturned, planArrivals, planFixes, sortUnseen } from './plan-end.ts'
import * as store from './reconcile-store.ts'

/** Whether a finding, by its rule and path, was looked for. */
export type Covers = (finding: { ruleId: string; path: string }) => boolean

/** Which findings end, because the place where they were is not looked at any more, and what their history says of it. */
export type Ending = { covers: Covers; why: string }

/** What one source says about one ref of a repository, or about one of its pull requests. */
export type ObservationSource = {
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
  /** What a pull request is compared with; without it everything is new. */
  base?: Base | undefined
  /** All there is: what this source had here before and is not in it is fixed. */
  complete: boolean
  /** Of what is not in it only what this takes was looked for, and is fixed; all where not said. */
  covers?: Covers | undefined
  /** Of what is not in it and was not looked for: what ends, not known to be fixed; nothing where not said. */
  ends?: Ending | undefined
  /** Of what is new: the fingerprint of what it was before, whose decision by a person goes along. */
  movedFrom?: ReadonlyMap<string, string> | undefined
  /** Which of what is gone goes on under the name of what is new; nothing where not said, and where not all is told. */
  successors?: FindSuccessors | undefined
  /** What the history says about findings that are fixed by this, by fingerprint, where it is not plain that they are. */
  whyFixed?: ReadonlyMap<string, string> | undefined
}

/**
 * What became of the observations. Of a pull request: `inherited` stood before it, and of `undetermined` nobody can say; neither
 * is raised.
 */
export type Tally = { observed: number; raised: number; reopened: number; inherited: number; undetermined: number }

export type Reconciled = Tally & {
  fixed: number
  /** Left out of a pull request, because their rule is disabled. */
  disabled: number
  /** Whether they could be compared with the base of the pull request; true where there is none. */
  baseKnown: boolean
  /** Ids of those that were raised or reopened. */
  newIds: number[]
  /** Part by part, where they came in parts. */
  parts: Tally[]
}

/** Which findings a pull request shows. */
type Guardrails = (tx: Transaction) => Promise<(product: Observation['product'], ruleId: string) => Shown>

export type Reconcile = ((
  tx: Transaction,
  observation: ObservationSource & { observed: readonly Observation[] },
) => Promise<Reconciled>) & {
  /**
   * The same in two parts: what is stored is read while it is not known yet what all observations are like. `heads` are the same
   * observations as those that it is finished with, by their fingerprints and rules.
   */
  begin(tx: Transaction, observation: ObservationSource, heads: readonly Observation[]): Promise<FinishReconciling>
}

type FinishReconciling = (
  tx: Transaction,
  told: Pick<ObservationSource, 'base' | 'movedFrom' | 'successors'> & { observed: readonly Observation[] },
) => Promise<Reconciled>

/** The same for observations that were packed where they were read; one that is in two parts counts in the first. */
export type ReconcilePacked = (
  tx: Transaction,
  observation: ObservationSource,
  parts: readonly PackedFindings[],
) => Promise<Reconciled>

/** What people decided elsewhere is read before it is known whether anything is new, unless that is a look for each of so many. */
const fewNames = 1_000
/** Memories are asked about this many findings before their ids are known. */
const fewFindings = 5_000

export function createReconcile(
  guardrails: Guardrails,
  remember: ApplyMemories = noMemories,
): { reconcile: Reconcile; reconcilePacked: ReconcilePacked } {
  async function whole(
    tx: Transaction,
    { observed, ...observation }: ObservationSource & { observed: readonly Observation[] },
  ): Promise<Reconciled> {
    return reconcilePacked(tx, observation, [pack(observed)])
  }

  async function begin(
    tx: Transaction,
    observation: ObservationSource,
    heads: readonly Observation[],
  ): Promise<FinishReconciling> {
    const stored = await readStored(tx, observation, [pack(heads)])
    return (tx, { observed, ...more }) => record(tx, { ...observation, ...more }, stored, [pack(observed)])
  }

  const reconcile = Object.assign(whole, { begin })

  async function reconcilePacked(
    tx: Transaction,
    observation: ObservationSource,
    parts: readonly PackedFindings[],
  ): Promise<Reconciled> {
    return record(tx, observation, await readStored(tx, observation, parts), parts)
  }

  /**
   * In one round trip: nothing of it needs what another part answers. The repository is held until the transaction ends. What
   * is stored under former names has those of now before anything is compared.
   */
  async function readStored(tx: Transaction, observation: ObservationSource, parts: readonly PackedFindings[]) {
    const { repositoryId, pullRequest, source } = observation
    const names = await namesIn(parts)
    const { formerGroups } = names
    const here = { repositoryId, streamId: store.streamOf(tx, observation) }
    const listDecided = () => listElsewhere(tx, here, names)
    const [exposed, isRemembered, streamId, ruleIds, shown, stored, baseRows, elsewhere] = await Promise.all([
      store.lockRepository(tx, repositoryId),
      remember.areInForce(tx, repositoryId),
      store.openStream(tx, observation),
      store.identifyRules(
        tx,
        source,
        parts.flatMap((part) => part.rules),
      ),
      pullRequest > 0 ? guardrails(tx) : () => 'shown' as const,
      store.listStored(tx, observation, names),
      readBase(tx, observation),
      names.single.size + names.groups.size <= fewNames ? listDecided() : undefined,
    ])
    const renamed = await takeNewNames(tx, stored.values(), formerGroups)
    if (renamed.length > 0) await rename(tx, observation, renamed, [...formerGroups.keys()])
    if (baseRows) await takeNewNames(tx, baseRows.values(), formerGroups)
    const known = renamed.length > 0 ? await store.byFingerprint(stored.values()) : stored
    async function elsewhereRows() {
      const rows = elsewhere ?? (await listDecided())
      await takeNewNames(tx, rows, formerGroups)
      return rows
    }
    return { exposed, isRemembered, streamId, ruleIds, shown, known, baseRows, elsewhereRows }
  }

  /** Everything an observation changes, in the caller's transaction. */
  async function record(
    tx: Transaction,
    observation: ObservationSource,
    stored: Awaited<ReturnType<typeof readStored>>,
    parts: readonly PackedFindings[],
  ): Promise<Reconciled> {
    const { repositoryId, pullRequest, scanId, at } = observation
    const { exposed, streamId, ruleIds, shown } = stored
    const known = await knownNow(tx, observation, stored.known, parts)
    const base = observation.base ? await compareWithBase(observation.base, stored.baseRows, parts) : noBase
    const recognition = await recognise(known, parts, base.has)
    const elsewhere = await readElsewhere(recognition.hasNew ? await stored.elsewhereRows() : [], parts, recognition)
    const before = decidedBefore(known, observation.movedFrom)
    const result: Reconciled = {
      ...nothing(),
      fixed: 0,
      disabled: 0,
      baseKnown: base.isKnown,
      newIds: [],
      parts: [],
    }
    const seen = new Set<store.StoredFindingRow>()
    const transitions: NotedTransition[] = []
    const contexts: store.Surroundings[] = []
    const touched = new Set<number>()
    const fresh: string[] = []
    let rulesBefore = 0
    const breath = createYield()
    /** One batch is under way while the next is planned, and the last one while what follows is sent. */
    let writing: Promise<void> | undefined
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
        const turn = breath()
        if (turn) await turn
        const sorted = planChanges(batch, {
          recognition,
          base,
          elsewhere,
          before,
          seen,
          modes,
          inPullRequest: pullRequest > 0,
        })
        tally.observed += sorted.observed
        tally.reopened += sorted.reopened.length
        tally.inherited += sorted.inherited
        tally.undetermined += sorted.undetermined
        result.disabled += sorted.disabled
        await writing
        writing = writeBatch(tx, context, batch, sorted).then((ids) => {
          tally.raised += ids.length
          for (const id of [...ids, ...sorted.reopened]) result.newIds.push(id)
        })
        // Also where what comes before it is awaited fails.
        writing.catch(() => {})
        for (const one of sorted.transitions) transitions.push(one)
        for (const one of sorted.contexts) contexts.push(one)
        for (const one of [...sorted.changed, ...sorted.transitions]) touched.add(one.id)
        for (const { ordinal, fingerprint } of sorted.fresh) {
          fresh.push(fingerprint ?? batch.heads.fingerprint[ordinal - 1]!)
        }
      }
      result.parts.push(tally)
    }
    const { onBase, unseen } = await sortUnseen(known.values(), seen, base.hasRow)
    await inTurns(onBase, (row) => seen.add(row))
    await inTurns(await planArrivals(onBase), (one) => transitions.push(one))
    const missing = observation.complete ? unseen : []
    const { gone, ending } = await sortMissing(tx, missing, observation)
    const back = await listReturned(seen, transitions)
    const { fixes, kept } = await planFixes(gone, observation.whyFixed)
    result.fixed = fixes.length
    const writes: Promise<void>[] = writing ? [writing] : []
    const send = (write: Promise<void>) => {
      // One that fails while others have their turn is told at the end.
      write.catch(() => {})
      writes.push(write)
    }
    for (const changes of [transitions, fixes]) {
      for (const [note, some] of await byNote(changes)) send(transition(tx, some, { scanId, note, at }))
    }
    if (observation.ends) send(endFindings(tx, ending, { scanId, note: observation.ends.why, at }))
    send(store.takeContexts(tx, contexts))
    send(store.markPresence(tx, back, false))
    send(store.markPresence(tx, kept, true))
    expectDuplicates(tx, repositoryId)
    // What is sent in one statement each has been sent by now, and is there for whoever looks behind it.
    const isSent = transitions.length + touched.size + fresh.length <= fewFindings
    const seenBy = { streamId, scanId, at }
    if (stored.isRemembered && isSent) send(remember(tx, { ...seenBy, ids: [...touched], fingerprints: fresh }))
    await Promise.all(writes)
    for (const tally of result.parts) {
      result.observed += tally.observed
      result.raised += tally.raised
      result.reopened += tally.reopened
      result.inherited += tally.inherited
      result.undetermined += tally.undetermined
    }
    if (stored.isRemembered && !isSent) {
      await inTurns(result.newIds, (id) => touched.add(id))
      await remember(tx, { ...seenBy, ids: [...touched], fingerprints: [] })
    }
    return result
  }

  return { reconcile, reconcilePacked }
}

const noMemories: ApplyMemories = Object.assign(async () => undefined, { areInForce: async () => false })

function pack(observed: readonly Observation[]): PackedFindings {
  const packer = createPacker()
  for (const one of observed) packer.add(one)
  return packer.finish()
}

/** Answers the ids of those that are new. */
async function writeBatch(
  tx: Transaction,
  context: store.Context,
  batch: FindingBatch,
  { fresh, changed }: { fresh: readonly store.Fresh[]; changed: readonly store.Changed[] },
): Promise<number[]> {
  const [ids] = await Promise.all([store.raise(tx, context, batch, fresh), store.refresh(tx, context, batch, changed)])
  return ids
}

async function knownNow(
  tx: Transaction,
  observation: ObservationSource,
  known: ReadonlyMap<string, store.StoredFindingRow>,
  parts: readonly PackedFindings[],
): Promise<ReadonlyMap<string, store.StoredFindingRow>> {
  const { successors, complete } = observation
  return successors && complete ? takeSuccessors(tx, observation, known, parts, successors) : known
}

function decidedBefore(
  known: ReadonlyMap<string, store.StoredFindingRow>,
  movedFrom: ObservationSource['movedFrom'],
): (fingerprint: string) => Start | undefined {
  return (fingerprint) => {
    const row = known.get(movedFrom?.get(fingerprint) ?? '')
    if (!row || !isIgnoredByPerson(row)) return undefined
    return { state: row.state, reason: row.reason, decidedBy: row.decided_by, deciderId: row.decider_id }
  }
}

/** Those of the rows that would have been seen if they were still there, and ids of those that end unseen. */
async function sortMissing(
  tx: Transaction,
  rows: readonly store.StoredFindingRow[],
  { covers, ends }: Pick<ObservationSource, 'covers' | 'ends'>,
): Promise<{ gone: readonly store.StoredFindingRow[]; ending: number[] }> {
  if (!covers || rows.length === 0) return { gone: rows, ending: [] }
  const about = await store.describeRows(
    tx,
    rows.map((row) => row.id),
  )
  const gone: store.StoredFindingRow[] = []
  const unsearched: number[] = []
  await inTurns(rows, (row) => {
    const finding = about.get(row.id)!
    if (covers(finding)) gone.push(row)
    else if (!isOver(row) && ends?.covers(finding)) unsearched.push(row.id)
  })
  return { gone, ending: ends && unsearched.length > 0 ? await listEnding(tx, unsearched, ends.why) : [] }
}

function nothing(): Tally {
  return { observed: 0, raised: 0, reopened: 0, inherited: 0, undetermined: 0 }
}
