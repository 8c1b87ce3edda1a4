import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage } from '../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { createAssigning, requireReading } from './assigning.ts'
import type { DiscussionEntry, DiscussionQuery, NewComment } from './contract.ts'
import * as store from './store.ts'

const mostEntries = 1_000

export type Discussions = ReturnType<typeof createDiscussions>

/** What people say about findings and issues, and who looks after them. Whoever sees the one sees the other. */
export function createDiscussions(db: Database) {
  async function list(actor: Actor, query: DiscussionQuery) {
    const subject = subjectOf(query)
    requireReading(actor, subject.kind)
    const reads = db.as(actor)
    if (!(await store.isVisible(reads, actor, subject))) throw noSubject(subject)
    const size = query.pageSize ?? 100
    const rows = await store.listEntries(reads, subject, query.cursor || Number.MAX_SAFE_INTEGER, size + 1)
    const { rows: shown, ...rest } = cutPage(rows, { size })
    return { assignee: toPerson(await store.findAssignee(reads, subject)), entries: shown.map(toEntry), ...rest }
  }

  function comment(actor: Actor, request: NewComment) {
    const subject = subjectOf(request)
    requireReading(actor, subject.kind)
    return db.transaction(actor, async (tx) => {
      const [held] = await store.holdVisible(tx, actor, subject.kind, [subject.id])
      if (held === undefined) throw noSubject(subject)
      if ((await store.countEntries(tx, subject)) >= mostEntries) {
        throw new Fault('conflict', `A discussion has at most ${mostEntries} entries, and this one has reached that.`)
      }
      const entry = await store.insertComment(tx, subject, await store.authorOf(tx), request.text)
      tx.audit({ action: 'comment.create', target: `comment:${entry.id}`, detail: { [subject.kind]: subject.id } })
      return toEntry(entry)
    })
  }

  function edit(actor: Actor, id: number, text: string) {
    return db.transaction(actor, async (tx) => {
      const entry = await ownComment(tx, actor, id)
      if (entry.author_id !== actor.personId) throw new Fault('forbidden', 'Only the author of a comment may edit it.')
      requireVersion(actor, entry.version)
      tx.audit({ action: 'comment.edit', target: `comment:${id}`, detail: { [entry.kind]: entry.subject_id } })
      return toEntry(await store.updateComment(tx, id, text))
    })
  }

  function remove(actor: Actor, id: number) {
    return db.transaction(actor, async (tx) => {
      const entry = await ownComment(tx, actor, id)
      if (entry.author_id !== actor.personId && !seesEverything(actor)) {
        throw new Fault('forbidden', 'Only the author of a comment, an owner or an admin may delete it.')
      }
      requireVersion(actor, entry.version)
      const detail = { [entry.kind]: entry.subject_id, authorId: entry.author_id }
      tx.audit({ action: 'comment.delete', target: `comment:${id}`, detail })
      return toEntry(await store.blankComment(tx, id))
    })
  }

  return { list, comment, edit, remove, ...createAssigning(db) }
}

/** A comment on something the actor sees; others look as if they did not exist. */
async function ownComment(tx: Transaction, actor: Actor, id: number): Promise<store.EntryRow> {
  const entry = await store.lockComment(tx, id)
  if (entry) requireReading(actor, entry.kind)
  const subject = entry && { kind: entry.kind, id: entry.subject_id }
  if (!subject || !(await store.isVisible(tx, actor, subject))) throw new Fault('not_found', `No comment ${id}.`)
  return entry
}

function subjectOf({ findingId, issueId }: { findingId?: string; issueId?: string }): store.Subject {
  if ((findingId === undefined) === (issueId === undefined)) {
    const errors = [{ pointer: '', detail: 'must have either findingId or issueId' }]
    throw new Fault('validation_failed', 'Say what it is about: a finding or an issue.', { errors })
  }
  return findingId === undefined ? { kind: 'issue', id: Number(issueId) } : { kind: 'finding', id: Number(findingId) }
}

function noSubject({ kind, id }: store.Subject): Fault {
  return new Fault('not_found', `No ${kind} ${id}.`)
}

function toPerson(row: store.PersonRow | undefined) {
  return row ? { id: String(row.id), name: row.name } : null
}

function toEntry(row: store.EntryRow): DiscussionEntry {
  const entry: DiscussionEntry = {
    id: String(row.id),
    what: row.what,
    at: row.at.toISOString(),
    authorId: String(row.author_id),
    authorName: row.author_name,
    tokenId: row.token_id,
    text: row.text,
    assignee: row.assignee_id === 0 ? null : { id: String(row.assignee_id), name: row.assignee_name },
    editedAt: row.edited_at?.toISOString() ?? null,
    deletedAt: row.deleted_at?.toISOString() ?? null,
  }
  return withVersion(entry, row.version)
}
