import * as codes from '../../../domain/finding-codes.ts'
import * as names from '../../../domain/wire-names.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, versionOf, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { BulkTriage, FindingTriage, HistoryQuery } from '../contract.ts'
import type { Finding, FindingDetail } from '../finding.ts'
import { readFilter } from '../search/read-filter.ts'
import * as store from '../store.ts'
import { toChange, toDetail, toFinding } from '../to-wire.ts'
import { findFollowers, listWithOtherBranches, noteFrom } from './other-branches.ts'
import { transition } from './transition-store.ts'
import { type LockedFinding, listMatching, lock, lockMore } from './triage-store.ts'

type Decision = { state: number; reason: number }
/** How a finding stood before it was decided about. */
type Former = Decision & { id: number }

/** A decision of an automation or a memory, known by its id. */
export type Decree = {
  by: 'automation' | 'memory'
  deciderId: number
  findingIds: readonly number[]
  /** TRIAGE_STATE_IGNORED, TRIAGE_REASON_NO_TIME and so on. */
  triageState: string
  triageReason?: string
  note: string
}

const mostAtOnce = 10_000
const person = codes.decider.code('person')

/** Told what people decide, in their transaction. */
export type WhenDecided = (
  tx: Transaction,
  decision: { findingIds: readonly number[]; triageState: string; triageReason?: string },
) => Promise<void>

export function createFindingTriage(db: Database, whenDecided: WhenDecided = async () => undefined) {
  async function get(actor: Actor, id: number): Promise<{ data: Finding; detail: FindingDetail }> {
    const reading = db.as(actor)
    const data = await find(reading, actor, id)
    const detail = await store.findDetail(reading, id)
    if (!detail) throw notFound(id)
    return withVersion({ data, detail: toDetail(detail) }, versionOf(data)!)
  }

  function triage(actor: Actor, id: number, request: FindingTriage): Promise<Finding> {
    return db.transaction(actor, async (tx) => {
      const [finding] = await lock(tx, actor, [id])
      if (!finding) throw notFound(id)
      requireVersion(actor, finding.version)
      const { length: onOtherBranches } = await decide(tx, [finding], request)
      await whenDecided(tx, { ...request, findingIds: [id] })
      const { triageState, triageReason = '' } = request
      const detail = { triageState, triageReason, onOtherBranches }
      tx.audit({ action: 'finding.triage', target: `finding:${id}`, detail })
      return find(tx, actor, id)
    })
  }

  function triageMany(actor: Actor, request: BulkTriage) {
    return db.transaction(actor, async (tx) => {
      const findings = await lockMany(tx, actor, request)
      const decision = decisionOf(request)
      const changed = findings.filter((finding) => !alreadyDecided(finding, decision))
      const along = await decide(tx, changed, request)
      await whenDecided(tx, { ...request, findingIds: changed.map((finding) => finding.id) })
      const changedFindingIds = idsOf(changed)
      const unchangedFindingIds = idsOf(findings.filter((finding) => alreadyDecided(finding, decision)))
      const { triageState, triageReason = '', filter } = request
      const which = filter ? { filter } : { findingIds: changedFindingIds }
      const numbers = { changed: changedFindingIds.length, onOtherBranches: along.length }
      const detail = { triageState, triageReason, ...which, ...numbers }
      tx.audit({ action: 'finding.triage-many', target: 'findings', detail })
      return { changedFindingIds, unchangedFindingIds, sameOnOtherBranches: byFormerState(along) }
    })
  }

  /** Leaves alone what somebody with more say has decided, and what is so already. Answers with the ids of the others. */
  async function decree(tx: Transaction, { by, deciderId, findingIds, note, ...request }: Decree): Promise<number[]> {
    const decidedBy = codes.decider.code(by)
    const { state, reason } = decisionOf(request)
    const findings = await lock(tx, tx.actor, findingIds)
    const changed = findings.filter(
      (one) => one.decided_by <= decidedBy && (one.state !== state || one.reason !== reason),
    )
    await transition(
      tx,
      changed.map(({ id }) => ({ id, state, reason, decidedBy, deciderId })),
      { scanId: 0, note },
    )
    return changed.map(({ id }) => id)
  }

  async function history(actor: Actor, id: number, { pageSize: size = 100, cursor }: HistoryQuery) {
    await find(db.as(actor), actor, id)
    const rows = await store.listHistory(db.as(actor), id, cursor ?? 2 ** 31 - 1, size + 1)
    const { rows: shown, ...rest } = cutPageBy(rows, { size }, (row) => row.seq)
    return { history: shown.map(toChange), ...rest }
  }

  return { get, triage, triageMany, history, decree }
}

/** Answers those on other branches that it counts for as well, as they were. */
async function decide(tx: Transaction, findings: LockedFinding[], request: FindingTriage): Promise<Former[]> {
  const decision = decisionOf(request)
  const by = { decidedBy: person, deciderId: tx.actor.personId }
  const into = (ids: readonly number[]) => ids.map((id) => ({ id, ...decision, ...by }))
  const { note = '', thisBranchOnly = false } = request
  const [repositoryIds] = await Promise.all([
    thisBranchOnly ? [] : listWithOtherBranches(tx, findings, decision),
    transition(tx, into(findings.map(({ id }) => id)), { scanId: 0, note }),
  ])
  if (repositoryIds.length === 0) return []
  const followers = await findFollowers(tx, repositoryIds, findings, decision)
  if (followers.size === 0) return []
  const along = await lockMore(tx, tx.actor, [...followers.keys()])
  for (const [ref, some] of Map.groupBy(along, ({ id }) => followers.get(id)!)) {
    const ids = some.map(({ id }) => id)
    await transition(tx, into(ids), { scanId: 0, note: noteFrom(ref, note), alongWithOthers: true })
  }
  return along
}

async function lockMany(tx: Transaction, actor: Actor, { findingIds, filter }: BulkTriage): Promise<LockedFinding[]> {
  if ((findingIds === undefined) === (filter === undefined)) {
    const errors = [{ pointer: '', detail: 'must have either findingIds or a filter' }]
    throw new Fault('validation_failed', 'Say which findings: by findingIds or by a filter.', { errors })
  }
  if (findingIds) return lockIds(tx, actor, findingIds)
  const wanted = readFilter(actor, filter!)
  const ids = await listMatching(tx, actor, wanted, mostAtOnce + 1)
  if (ids.length <= mostAtOnce) return lock(tx, actor, ids, wanted)
  throw new Fault('unprocessable', `The filter matches more than ${mostAtOnce} findings; narrow it down.`)
}

async function lockIds(tx: Transaction, actor: Actor, findingIds: string[]): Promise<LockedFinding[]> {
  const findings = await lock(tx, actor, findingIds.map(Number))
  const known = new Set(findings.map((finding) => finding.id))
  const errors = findingIds.flatMap((id, index) =>
    known.has(Number(id)) ? [] : [{ pointer: `/findingIds/${index}`, detail: `no finding ${id}` }],
  )
  if (errors.length === 0) return findings
  const unknown = [...new Set(findingIds.filter((id) => !known.has(Number(id))))]
  throw new Fault('unprocessable', `No finding${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')}.`, { errors })
}

/** What a person has decided in just this way is left alone; what others have, a person may make their own. */
function alreadyDecided(finding: LockedFinding, { state, reason }: Decision): boolean {
  return finding.decided_by === person && finding.state === state && finding.reason === reason
}

function decisionOf(request: { triageState: string; triageReason?: string }): Decision {
  const { triageState, triageReason = 'TRIAGE_REASON_UNSPECIFIED' } = request
  return { state: names.stateNames.code(triageState), reason: names.reasonNames.code(triageReason) }
}

async function find(db: Queryable, actor: Actor, id: number): Promise<Finding> {
  const row = await store.find(db, actor, id)
  if (!row) throw notFound(id)
  return toFinding(actor.deploymentId, row)
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No finding ${id}.`)
}

function byFormerState(findings: readonly Former[]) {
  const groups = Map.groupBy(findings, ({ state, reason }) => `${state} ${reason}`)
  return [...groups.values()].map((alike) => ({
    triageState: names.stateNames.ofCode(alike[0]!.state),
    triageReason: names.reasonNames.ofCode(alike[0]!.reason),
    findingIds: idsOf(alike),
  }))
}

function idsOf(findings: readonly { id: number }[]): string[] {
  return findings.map((finding) => String(finding.id))
}
