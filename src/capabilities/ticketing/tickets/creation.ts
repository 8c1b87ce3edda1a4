import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { Permanent, Transient } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { describeFindings } from '../../findings/public.ts'
import { describeIssues } from '../../issues/public.ts'
import { isConfigured } from '../instances/shown-instance.ts'
import type { InstanceRow } from '../instances/store.ts'
import * as store from '../instances/store.ts'
import * as progress from '../sync/progress-store.ts'
import type { Access } from '../tracker/access.ts'
import type { Tracker, TrackerIssue } from '../tracker/tracker.ts'
import { TrackerError } from '../tracker/tracker-error.ts'
import { contentFor, type Subjects } from './content.ts'
import { commonLabel } from './subjects.ts'
import * as tickets from './ticket-store.ts'

export type CreationOptions = { db: Database; access: Access; clock: Clock }

/** How long a tracker may take until a search finds what it was asked to make, and until an unanswered request is over. */
const settlingMs = 30_000

/**
 * Makes tickets, each exactly once. That the tracker is about to be asked is written down first. Who comes after somebody
 * who was never answered, or died, looks for the ticket's own label before asking again, and not before the tracker has had
 * the time to show it.
 */
export function createCreation({ db, access, clock }: CreationOptions) {
  async function make(actor: Actor, ticketId: number): Promise<void> {
    const ticket = await tickets.find(db.as(actor), actor, ticketId)
    if (!ticket || ticket.state === 'ready') return
    const instance = await usable(actor, ticket)
    const subjects = await subjectsOf(actor, ticket)
    if (subjects.findings.length + subjects.issues.length === 0) {
      return giveUp(actor, ticketId, 'Its findings or issues no longer exist.')
    }
    await requireSettled(ticket.attemptedAt)
    try {
      await access.using(actor, instance, async (tracker) => {
        const earlier = ticket.attemptedAt ? await tracker.withLabel(ticket.label) : undefined
        const made = earlier ?? (await create(actor, tracker, instance, ticket, subjects))
        await change(actor, (tx) => progress.markReady(tx, ticketId, made, clock.now()))
      })
    } catch (error) {
      if (error instanceof TrackerError) return failed(actor, ticketId, error)
      throw error
    }
  }

  async function create(
    actor: Actor,
    tracker: Tracker,
    instance: InstanceRow,
    ticket: tickets.TicketRow,
    subjects: Subjects,
  ): Promise<TrackerIssue> {
    const { summary, description } = contentFor(subjects)
    await claim(actor, ticket)
    const { id, key } = await asked(actor, ticket.id, () =>
      tracker.create({
        ...instance.fields,
        project: { id: instance.projectId },
        issuetype: { id: ticket.parentKey ? instance.subtaskIssueTypeId : instance.issueTypeId },
        ...(ticket.parentKey ? { parent: { key: ticket.parentKey } } : {}),
        summary,
        description,
        labels: [commonLabel, ticket.label],
      }),
    )
    return { id, key, summary, status: { id: '', name: '', isDone: false } }
  }

  /** From here on it may exist. Of two who come this far only one goes on. */
  function claim(actor: Actor, ticket: tickets.TicketRow): Promise<void> {
    return change(actor, async (tx) => {
      const now = await tickets.lock(tx, actor, ticket.id)
      if (now?.state === 'ready' || now?.attemptedAt?.getTime() !== ticket.attemptedAt?.getTime()) {
        throw new Transient('Somebody else is making it.')
      }
      await progress.markAttempted(tx, ticket.id, clock.now())
    })
  }

  /** A refusal is certain: the ticket does not exist, and nobody has to look for it. */
  async function asked<T>(actor: Actor, ticketId: number, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof TrackerError && error.reason !== 'unreachable') {
        const isFinal = ['refused', 'missing', 'blocked'].includes(error.reason)
        await change(actor, (tx) => progress.markUnmade(tx, ticketId, { isFinal, detail: error.message }))
      }
      throw error
    }
  }

  async function failed(actor: Actor, ticketId: number, error: TrackerError): Promise<never> {
    await change(actor, (tx) => progress.noteDetail(tx, ticketId, error.message))
    throw error.isPassing ? new Transient(error.message, error.retryAfterSeconds) : new Permanent(error.message)
  }

  async function usable(actor: Actor, ticket: tickets.TicketRow): Promise<InstanceRow> {
    const instance = await store.find(db.as(actor), ticket.instanceId)
    const problem = problemOf(instance, ticket)
    if (!problem) return instance!
    await change(actor, (tx) => progress.noteDetail(tx, ticket.id, problem))
    throw new Permanent(problem)
  }

  async function giveUp(actor: Actor, ticketId: number, detail: string): Promise<void> {
    await change(actor, (tx) => progress.markUnmade(tx, ticketId, { isFinal: true, detail }))
  }

  async function requireSettled(attemptedAt: Date | null): Promise<void> {
    if (!attemptedAt || clock.now().getTime() - attemptedAt.getTime() >= settlingMs) return
    throw new Transient(
      'The tracker did not say whether it made the ticket. It is searched for before it is made again.',
    )
  }

  async function subjectsOf(actor: Actor, { findingIds, issueIds }: tickets.TicketRow): Promise<Subjects> {
    const findings = findingIds.length > 0 ? await describeFindings(db.as(actor), actor, findingIds.map(Number)) : []
    const issues = issueIds.length > 0 ? await describeIssues(db.as(actor), actor, issueIds.map(Number)) : []
    return { findings, issues }
  }

  function change(actor: Actor, work: (tx: Transaction) => Promise<void>): Promise<void> {
    return db.transaction(actor, work)
  }

  return { make }
}

/** Why the tracker cannot be asked at the moment, or undefined. */
function problemOf(instance: InstanceRow | undefined, { parentKey }: tickets.TicketRow): string | undefined {
  if (!instance) return 'The tracker is disconnected. The ticket is made once it is connected again.'
  if (instance.authRevokedAt)
    return 'The tracker refuses the credentials. The ticket is made once it takes them, or others.'
  if (!isConfigured(instance)) return 'The tracker has no project and issue type configured.'
  return parentKey && !instance.subtaskIssueTypeId
    ? 'The tracker has no issue type for subtasks configured.'
    : undefined
}
