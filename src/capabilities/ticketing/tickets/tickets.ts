import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion } from '../../../kernel/contract/etag.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../../kernel/database/database.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { describeFindings } from '../../findings/public.ts'
import { describeIssues } from '../../issues/public.ts'
import { isConfigured } from '../instances/shown-instance.ts'
import * as instances from '../instances/store.ts'
import { kinds, laneOf } from '../sync/job-kinds.ts'
import type { Access } from '../tracker/access.ts'
import { faultFor, TrackerError } from '../tracker/tracker-error.ts'
import { toTicket } from './shown-ticket.ts'
import { commonLabel, newLabel, subjectKeys } from './subjects.ts'
import type { Link, NewTicket, Ticket, Unlink } from './ticket-contract.ts'
import * as store from './ticket-store.ts'

export type TicketService = ReturnType<typeof createTicketService>

type Ids = { findingIds?: string[]; issueIds?: string[] }

/** Which tickets belong to what. The tracker is asked to make one in the background, and at once for one that exists. */
export function createTicketService({ db, access, clock }: { db: Database; access: Access; clock: Clock }) {
  async function list(actor: Actor, filter: store.TicketFilter, request: PageRequest) {
    const { rows, ...page } = cutPage(await store.list(db.as(actor), actor, filter, request), request)
    return { tickets: rows.map(toTicket), ...page }
  }

  async function get(actor: Actor, id: number): Promise<Ticket> {
    return toTicket(required(await store.find(db.as(actor), actor, id), id))
  }

  function create(actor: Actor, { instanceId, parentKey = '', ...ids }: NewTicket): Promise<Ticket> {
    return db.transaction(actor, async (tx) => {
      const subjects = await requireSubjects(tx, actor, ids)
      const instance = await chosen(tx, instanceId)
      if (!isConfigured(instance)) throw new Fault('unprocessable', 'The tracker has no project and issue type yet.')
      if (parentKey && !instance.subtaskIssueTypeId) {
        throw new Fault('unprocessable', 'The tracker has no issue type for subtasks yet.')
      }
      const unmade = await unmadeBefore(tx, subjects)
      const id = unmade ?? (await insert(tx, instance.id, parentKey, subjects))
      await enqueue(tx, { kind: kinds.create, payload: { ticketId: id }, lane: laneOf(instance.id) })
      tx.audit({ action: 'ticket.create', target: `ticket:${id}`, detail: { ...ids, instance: instance.id } })
      return toTicket((await store.find(tx, actor, id))!)
    })
  }

  async function link(actor: Actor, { instanceId, key, ...ids }: Link): Promise<Ticket> {
    // In a transaction of its own: a repetition by Idempotency-Key is not refused for what the first request did, and a key
    // of another request is noticed before the tracker is told anything.
    const askedId = await db.transaction(actor, async (tx) => {
      requireFree(await store.ofSubjects(tx, await requireSubjects(tx, actor, ids)))
      return (await chosen(tx, instanceId)).id
    })
    const instance = await chosen(db.as(actor), askedId)
    const issue = await asking(() =>
      access.using(actor, instance, async (tracker) => {
        const found = await tracker.issue(key)
        await tracker.addLabel(found.key, commonLabel)
        return found
      }),
    )
    return db.transaction(actor, async (tx) => {
      const subjects = await requireSubjects(tx, actor, ids)
      const id = await store.putLinked(tx, instance.id, issue, clock.now())
      if ((await store.addSubjects(tx, id, subjects)) < subjects.length)
        requireFree(await store.ofSubjects(tx, subjects))
      tx.audit({ action: 'ticket.link', target: `ticket:${id}`, detail: { ...ids, key: issue.key } })
      return toTicket((await store.find(tx, actor, id))!)
    })
  }

  function unlink(actor: Actor, id: number, ids: Unlink): Promise<Ticket> {
    return db.transaction(actor, async (tx) => {
      const ticket = required(await store.lock(tx, actor, id), id)
      requireVersion(actor, ticket.version)
      const errors = strangers(ticket, ids)
      if (errors.length > 0)
        throw new Fault('unprocessable', `Ticket ${id} is not about all of these findings and issues; see errors.`, {
          errors,
        })
      const subjects = requireSome(subjectKeys(ids))
      if (ticket.state === 'creating' && ticket.attemptedAt) {
        throw new Fault('conflict', `Ticket ${id} is being made right now; try again in a minute.`)
      }
      await store.removeSubjects(tx, id, subjects)
      await store.removeIfBare(tx, id)
      tx.audit({ action: 'ticket.unlink', target: `ticket:${id}`, detail: { ...ids, key: ticket.key } })
      const findingIds = without(ticket.findingIds, ids.findingIds)
      const issueIds = without(ticket.issueIds, ids.issueIds)
      return toTicket({ ...ticket, findingIds, issueIds, version: ticket.version + 1 })
    })
  }

  return { list, get, create, link, unlink }
}

/** The tracker that is named, or the only one. */
async function chosen(db: Queryable, id: number | undefined): Promise<instances.InstanceRow> {
  if (id !== undefined) {
    const row = await instances.find(db, id)
    if (row) return row
    const errors = [{ pointer: '/instanceId', detail: `no ticketing instance ${id}` }]
    throw new Fault('unprocessable', `No ticketing instance ${id}.`, { errors })
  }
  const all = await instances.list(db)
  if (all.length === 1) return all[0]!
  const errors = [{ pointer: '/instanceId', detail: all.length === 0 ? 'no tracker is connected' : 'name one' }]
  throw new Fault(
    'unprocessable',
    all.length === 0 ? 'No tracker is connected.' : 'Several trackers are connected: say which one by instanceId.',
    {
      errors,
    },
  )
}

/** All of them exist, and the actor sees them. */
async function requireSubjects(db: Queryable, actor: Actor, ids: Ids): Promise<store.SubjectKey[]> {
  const { findingIds = [], issueIds = [] } = ids
  const findings = findingIds.length > 0 ? await describeFindings(db, actor, findingIds.map(Number)) : []
  const issues = issueIds.length > 0 ? await describeIssues(db, actor, issueIds.map(Number)) : []
  const errors = [
    ...unknown('finding', findingIds, new Set(findings.map(({ id }) => id))),
    ...unknown('issue', issueIds, new Set(issues.map(({ id }) => id))),
  ]
  if (errors.length > 0)
    throw new Fault(
      'unprocessable',
      'Some of these findings or issues do not exist, or you may not see them; see errors.',
      { errors },
    )
  return requireSome(subjectKeys(ids))
}

function requireSome(subjects: store.SubjectKey[]): store.SubjectKey[] {
  if (subjects.length > 0) return subjects
  const errors = [{ pointer: '', detail: 'must name a finding or an issue' }]
  throw new Fault('validation_failed', 'Say what the ticket is about: findingIds or issueIds.', { errors })
}

function unknown(kind: store.SubjectKind, ids: string[], known: ReadonlySet<number>): FieldError[] {
  return ids.flatMap((id, at) =>
    known.has(Number(id)) ? [] : [{ pointer: `/${kind}Ids/${at}`, detail: `no ${kind} ${Number(id)}` }],
  )
}

function strangers(ticket: store.TicketRow, { findingIds = [], issueIds = [] }: Ids): FieldError[] {
  return [
    ...unknown('finding', findingIds, new Set(ticket.findingIds.map(Number))),
    ...unknown('issue', issueIds, new Set(ticket.issueIds.map(Number))),
  ]
}

/** The ticket of exactly these that is not there yet: trying again makes no second one. */
async function unmadeBefore(tx: Transaction, subjects: store.SubjectKey[]): Promise<number | undefined> {
  const taken = await store.ofSubjects(tx, subjects)
  const [first] = taken
  if (!first) return undefined
  const isSame = taken.length === subjects.length && taken.every(({ ticketId }) => ticketId === first.ticketId)
  if (isSame && first.state !== 'ready') return first.ticketId
  throw inUse(taken)
}

async function insert(tx: Transaction, instanceId: number, parentKey: string, subjects: store.SubjectKey[]) {
  const id = await store.insertCreating(tx, { instanceId, label: newLabel(), parentKey })
  // Somebody else was quicker.
  if ((await store.addSubjects(tx, id, subjects)) < subjects.length) throw inUse(await store.ofSubjects(tx, subjects))
  return id
}

function requireFree(taken: Awaited<ReturnType<typeof store.ofSubjects>>): void {
  if (taken.length > 0) throw inUse(taken)
}

function inUse(taken: Awaited<ReturnType<typeof store.ofSubjects>>): Fault {
  const named = taken.slice(0, 20).map(({ kind, id, ticketId }) => `${kind} ${id} has ticket ${ticketId}`)
  return new Fault('conflict', `A finding or issue may have only one ticket: ${named.join(', ')}.`)
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TrackerError ? faultFor(error) : error
  }
}

function without(ids: string[], removed: string[] = []): string[] {
  const gone = new Set(removed.map(Number))
  return ids.filter((id) => !gone.has(Number(id)))
}

function required(row: store.TicketRow | undefined, id: number): store.TicketRow {
  if (!row) throw new Fault('not_found', `No ticket ${id}.`)
  return row
}
