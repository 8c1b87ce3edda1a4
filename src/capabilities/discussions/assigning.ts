import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { matchingFindings } from '../findings/public.ts'
import { matchingIssues } from '../issues/public.ts'
import type { Assignment } from './contract.ts'
import * as store from './store.ts'

const mostAtOnce = 10_000

export function createAssigning(db: Database) {
  function assign(actor: Actor, request: Assignment): Promise<{ changed: number; unchanged: number }> {
    const ways = [request.findingIds, request.issueIds, request.findingFilter, request.issueFilter]
    if (ways.filter((way) => way !== undefined).length !== 1) {
      const detail = 'must have exactly one of findingIds, issueIds, findingFilter and issueFilter'
      throw new Fault('validation_failed', 'Say which findings or which issues.', { errors: [{ pointer: '', detail }] })
    }
    const kind = request.findingIds || request.findingFilter ? 'finding' : 'issue'
    requireReading(actor, kind)
    return db.transaction(actor, async (tx) => {
      const assignee = await assigneeOf(tx, request.assigneeId)
      const ids = await chosen(tx, actor, kind, request)
      const changed = await store.assignAll(tx, kind, ids, { author: await store.authorOf(tx), assignee })
      const { assigneeId, findingFilter, issueFilter } = request
      const which = (findingFilter ?? issueFilter) ? { filter: findingFilter ?? issueFilter } : { ids: ids.map(String) }
      tx.audit({ action: `${kind}.assign`, target: `${kind}s`, detail: { assigneeId, ...which, changed } })
      return { changed, unchanged: ids.length - changed }
    })
  }
  return { assign }
}

/** A token that may not read them learns nothing about them by what is said about them. */
export function requireReading(actor: Actor, kind: store.SubjectKind): void {
  const permission = kind === 'finding' ? 'findings:read' : 'issues:read'
  if (!actor.permissions.has(permission))
    throw new Fault('forbidden', `This also needs the permission '${permission}'.`)
}

async function assigneeOf(tx: Transaction, id: string | null): Promise<store.PersonRow | undefined> {
  if (id === null) return undefined
  const person = await store.holdMember(tx, Number(id))
  if (person) return person
  const errors = [{ pointer: '/assigneeId', detail: `nobody in this deployment has the id ${id}` }]
  throw new Fault('unprocessable', `No person ${id} in this deployment.`, { errors })
}

async function chosen(tx: Transaction, actor: Actor, kind: store.SubjectKind, request: Assignment): Promise<number[]> {
  const given = request.findingIds ?? request.issueIds
  if (given) {
    const ids = await store.holdVisible(tx, actor, kind, given.map(Number))
    const known = new Set(ids)
    const errors = given.flatMap((id, index) =>
      known.has(Number(id)) ? [] : [{ pointer: `/${kind}Ids/${index}`, detail: `no ${kind} ${id}` }],
    )
    if (errors.length > 0)
      throw new Fault('unprocessable', `Some of these ${kind}s do not exist, or you may not see them.`, { errors })
    return ids
  }
  const { findingFilter, issueFilter } = request
  const matching = findingFilter
    ? await matchingFindings(tx, actor, findingFilter, mostAtOnce + 1)
    : await matchingIssues(tx, actor, issueFilter!, mostAtOnce + 1)
  if (matching.length > mostAtOnce) {
    throw new Fault('unprocessable', `The filter matches more than ${mostAtOnce} ${kind}s; narrow it down.`)
  }
  return store.holdVisible(tx, actor, kind, matching)
}
