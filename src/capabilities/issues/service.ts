import type { Fire } from '../../domain/trigger-event.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPageBy } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { triagedEvent } from './automation.ts'
import * as codes from './codes.ts'
import type { BulkTriage, TriageRequest } from './contract.ts'
import { type Decision, decide } from './decide.ts'
import type { Issue } from './issue.ts'
import { readFilter } from './search/read-filter.ts'
import * as store from './store.ts'
import { toActivity, toIssue } from './to-wire.ts'

export type IssueService = ReturnType<typeof createIssueService>

const mostAtOnce = 10_000

/** `fire`: whoever acts on what people decide. */
export function createIssueService(db: Database, fire: Fire) {
  async function get(actor: Actor, id: number): Promise<Issue> {
    return find(db.as(actor), actor, id)
  }

  function triage(actor: Actor, id: number, request: TriageRequest): Promise<Issue> {
    return db.transaction(actor, async (tx) => {
      const [issue] = await store.lock(tx, actor, [id])
      if (!issue) throw notFound(id)
      requireVersion(actor, issue.version)
      await decide(tx, [issue], decisionOf(request), 'person')
      await fire(tx, triagedEvent(actor, [issue]))
      const detail = { triageState: request.triageState, triageReason: request.triageReason ?? '' }
      tx.audit({ action: 'issue.triage', target: `issue:${id}`, detail })
      return find(tx, actor, id)
    })
  }

  function triageMany(actor: Actor, request: BulkTriage) {
    return db.transaction(actor, async (tx) => {
      const decision = decisionOf(request)
      const issues = await lockMany(tx, actor, request)
      const changed = issues.filter((issue) => !alreadyDecided(issue, decision))
      await decide(tx, changed, decision, 'person')
      if (changed.length > 0) await fire(tx, triagedEvent(actor, changed))
      const changedIssueIds = idsOf(changed)
      const unchangedIssueIds = idsOf(issues.filter((issue) => alreadyDecided(issue, decision)))
      const { triageState, triageReason = '', filter } = request
      const which = filter ? { filter } : { issueIds: changedIssueIds }
      const detail = { triageState, triageReason, ...which, changed: changedIssueIds.length }
      tx.audit({ action: 'issue.triage-many', target: 'issues', detail })
      return { changedIssueIds, unchangedIssueIds }
    })
  }

  async function activity(actor: Actor, id: number, page: { cursor?: number; pageSize?: number }) {
    const size = page.pageSize ?? 100
    await find(db.as(actor), actor, id)
    const rows = await store.listActivity(db.as(actor), id, page.cursor || 2 ** 31 - 1, size + 1)
    const { rows: shown, ...rest } = cutPageBy(rows, { size }, (row) => row.seq)
    return { activity: shown.map(toActivity), ...rest }
  }

  return { get, triage, triageMany, activity }
}

async function lockMany(tx: Transaction, actor: Actor, { issueIds, filter }: BulkTriage): Promise<store.LockedIssue[]> {
  if ((issueIds === undefined) === (filter === undefined)) {
    const errors = [{ pointer: '', detail: 'must have either issueIds or a filter' }]
    throw new Fault('validation_failed', 'Say which issues: by issueIds or by a filter.', { errors })
  }
  if (issueIds) return lockIds(tx, actor, issueIds)
  const issues = await store.lockMatching(tx, actor, readFilter(actor, filter!), mostAtOnce + 1)
  if (issues.length <= mostAtOnce) return issues
  throw new Fault('unprocessable', `The filter matches more than ${mostAtOnce} issues; narrow it down.`)
}

async function lockIds(tx: Transaction, actor: Actor, issueIds: string[]): Promise<store.LockedIssue[]> {
  const issues = await store.lock(tx, actor, issueIds.map(Number))
  const known = new Set(issues.map((issue) => issue.id))
  const errors = issueIds.flatMap((id, index) =>
    known.has(Number(id)) ? [] : [{ pointer: `/issueIds/${index}`, detail: `no issue ${id}` }],
  )
  if (errors.length === 0) return issues
  const unknown = [...new Set(issueIds.filter((id) => !known.has(Number(id))))]
  throw new Fault('unprocessable', `No issue${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')}.`, { errors })
}

/** What a person has decided in just this way is left alone; what an automation has, a person may make their own. */
function alreadyDecided(issue: store.LockedIssue, { state, reason }: Decision): boolean {
  return issue.decided_by === 'person' && issue.triage_state === state && issue.triage_reason === reason
}

function decisionOf({ triageState, triageReason = 'TRIAGE_REASON_UNSPECIFIED' }: TriageRequest | BulkTriage): Decision {
  return { state: codes.state.code(triageState), reason: codes.reason.code(triageReason) }
}

async function find(db: Queryable, actor: Actor, id: number): Promise<Issue> {
  const row = await store.find(db, actor, id)
  if (!row) throw notFound(id)
  return toIssue(actor.deploymentId, row)
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No issue ${id}.`)
}

function idsOf(issues: store.LockedIssue[]): string[] {
  return issues.map((issue) => String(issue.id))
}
