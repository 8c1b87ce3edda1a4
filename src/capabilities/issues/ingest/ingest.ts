import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { unknownRepositories, withIds } from '../../repositories/public.ts'
import * as codes from '../codes.ts'
import type { IngestionOutcome, IngestionResult } from '../contract.ts'
import { type CountChange, noteMoves } from '../search/count-store.ts'
import { stateAfterReport } from './after-report.ts'
import * as store from './ingest-store.ts'
import { type Report, readReports } from './read-reports.ts'
import type { IssueReport } from './report.ts'
import { keepUnseen } from './unseen-repositories.ts'

export type IssueIngestion = ReturnType<typeof createIssueIngestion>

const noReason = codes.reason.code('TRIAGE_REASON_UNSPECIFIED')
const open = codes.state.code('TRIAGE_STATE_OPEN')

/** What became of one report. */
type Result = { id: number; outcome: IngestionOutcome; state: number; move?: CountChange }

/** `onNew`: whoever wants to know, in the same transaction, of issues that were reported for the first time. */
export function createIssueIngestion(
  db: Database,
  onNew: (tx: Transaction, issueIds: number[]) => Promise<void> = async () => {},
) {
  function ingest(actor: Actor, given: readonly IssueReport[]): Promise<IngestionResult[]> {
    return db.transaction(actor, async (tx) => {
      const now = await store.currentTime(tx)
      const reports = readReports(given, now)
      await requireRepositories(tx, actor, given)
      const scopes = await scopesOf(tx, reports)
      const results = await take(tx, actor, reports, now, scopes)
      noteMoves(
        tx,
        [...results.values()].flatMap((result) => result.move ?? []),
      )
      const created = [...results.values()].filter(({ outcome }) => outcome === 'OUTCOME_CREATED')
      await onNew(
        tx,
        created.map(({ id }) => id),
      )
      tx.audit({ action: 'issue.ingest', target: 'issues', detail: countOutcomes(results) })
      return reports.map(({ externalKey }) => toResult(externalKey, results.get(externalKey)!))
    })
  }

  return { ingest }
}

/**
 * First the new issues are inserted, then the known ones locked and updated. In this order two who report the same keys
 * cannot block each other: who waits for an insert holds nothing but inserts, and locks are taken in the order of ids.
 */
async function take(tx: Transaction, actor: Actor, reports: readonly Report[], now: Date, scopes: Map<string, number>) {
  const results = new Map<string, Result>()
  const rows = new Map(reports.map((report) => [report.externalKey, newIssue(report, now, scopes)]))
  const seen = reports.filter((report) => report.detected)
  for (const { id, external_key } of await store.insertNew(
    tx,
    seen.map((report) => rows.get(report.externalKey)!),
  )) {
    const place = { ...rows.get(external_key)!, triage_state: open, triage_reason: noReason }
    results.set(external_key, { id, outcome: 'OUTCOME_CREATED', state: open, move: { to: place } })
  }
  const rest = reports.filter((report) => !results.has(report.externalKey))
  if (rest.length > 0) await updateKnown(tx, actor, rest, reports, scopes, results)
  return results
}

async function updateKnown(
  tx: Transaction,
  actor: Actor,
  rest: readonly Report[],
  reports: readonly Report[],
  scopes: Map<string, number>,
  results: Map<string, Result>,
): Promise<void> {
  const known = new Map((await store.lockKeys(tx, actor, rest.map(keyOf))).map((issue) => [issue.external_key, issue]))
  requireKnown(known, rest, reports)
  requireVisible(known, reports)
  const told = await keepUnseen(tx, actor, rest, known)
  if (told !== rest) for (const [key, id] of await scopesOf(tx, told)) scopes.set(key, id)
  // After the locks: what others have decided up to now lies before it.
  const now = await store.currentTime(tx)
  const updates: store.Update[] = []
  for (const report of told) {
    const issue = known.get(report.externalKey)!
    const next = merge(issue, report, newIssue(report, now, scopes))
    if (next) updates.push(next)
    results.set(report.externalKey, {
      id: issue.id,
      outcome: next ? 'OUTCOME_UPDATED' : 'OUTCOME_UNCHANGED',
      state: next?.triage_state ?? issue.triage_state,
      ...(next && { move: { from: issue, to: next } }),
    })
  }
  if (updates.length > 0) await store.update(tx, updates)
}

/** What a report makes of a known issue; undefined where it is older than the last one or brings no news. */
function merge(issue: store.Known, report: Report, fresh: store.NewIssue): store.Update | undefined {
  if (fresh.at < issue.observed_at) return undefined
  const same =
    fresh.at.getTime() === issue.observed_at.getTime() &&
    report.detected === issue.detected &&
    fresh.content_digest === issue.content_digest.toString('hex') &&
    fresh.scope_id === issue.scope_id &&
    fresh.severity === issue.severity
  if (same) return undefined
  const standing = {
    state: codes.state.name(issue.triage_state),
    decidedBy: issue.decided_by,
    triagedAt: issue.triaged_at,
  }
  const state = stateAfterReport(standing, { detected: report.detected, at: fresh.at })
  return {
    ...fresh,
    id: issue.id,
    detected: report.detected,
    last_detected_at: report.detected ? fresh.at : issue.last_detected_at,
    triage_state: state ? codes.state.code(state) : issue.triage_state,
    triage_reason: state ? noReason : issue.triage_reason,
    decided_by: state ? 'automation' : issue.decided_by,
    decided: state !== undefined,
  }
}

async function requireRepositories(tx: Transaction, actor: Actor, given: readonly IssueReport[]): Promise<void> {
  const ids = new Set(given.flatMap((report) => report.projectIds ?? []).map(Number))
  const known = await withIds(tx, actor, [...ids])
  const errors = given.flatMap(({ projectIds = [] }, index) =>
    projectIds.flatMap((id, at) =>
      known.has(Number(id))
        ? []
        : [{ pointer: `/issues/${index}/projectIds/${at}`, detail: `no repository ${Number(id)}` }],
    ),
  )
  if (errors.length === 0) return
  const unknown = [...ids].filter((id) => !known.has(id))
  throw new Fault('unknown_repository', unknownRepositories(unknown), { errors })
}

/** A key can be known without the issue being seen: then it is taken, and what it stands for stays untold. */
function requireVisible(known: Map<string, store.Known>, reports: readonly Report[]): void {
  const hidden = (report: Report) => known.get(report.externalKey)?.visible === false
  const errors = pointTo(reports, hidden, 'is taken by an issue you do not see')
  if (errors.length > 0) throw new Fault('conflict', 'A key is taken by an issue that you do not see.', { errors })
}

/** What was seen is known by now, because it has been inserted. */
function requireKnown(known: Map<string, store.Known>, rest: readonly Report[], reports: readonly Report[]): void {
  const missing = new Set(rest.filter((report) => !known.has(report.externalKey)))
  const errors = pointTo(reports, (report) => missing.has(report), 'is not known, so it cannot be gone')
  if (errors.length > 0)
    throw new Fault(
      'unprocessable',
      'A report says that an issue is gone, but Gatehouse does not know the issue; see errors.',
      { errors },
    )
}

function pointTo(reports: readonly Report[], wrong: (report: Report) => boolean, detail: string): FieldError[] {
  return reports.flatMap((report, index) =>
    wrong(report) ? [{ pointer: `/issues/${index}/externalKey`, detail: `'${report.externalKey}' ${detail}` }] : [],
  )
}

function newIssue(report: Report, now: Date, scopes: Map<string, number>): store.NewIssue {
  return {
    external_key: report.externalKey,
    scope_id: scopes.get(scopeKey(report))!,
    severity: report.severity,
    title: report.title,
    content: report.content,
    content_digest: report.digest,
    at: report.observedAt ?? now,
  }
}

function scopesOf(tx: Transaction, reports: readonly Report[]): Promise<Map<string, number>> {
  return store.scopeIds(tx, [...new Set(reports.map(scopeKey))].sort())
}

function scopeKey(report: Report): string {
  return report.repositoryIds.join(',')
}

function keyOf(report: Report): string {
  return report.externalKey
}

function countOutcomes(results: Map<string, Result>) {
  const count = (outcome: IngestionOutcome) =>
    [...results.values()].filter((result) => result.outcome === outcome).length
  return { created: count('OUTCOME_CREATED'), updated: count('OUTCOME_UPDATED'), unchanged: count('OUTCOME_UNCHANGED') }
}

function toResult(externalKey: string, { id, outcome, state }: Result): IngestionResult {
  return { issueId: String(id), externalKey, outcome, triageState: codes.state.name(state) }
}
