import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { visibleFinding } from '../findings/public.ts'
import { visibleIssue } from '../issues/public.ts'

export type SubjectKind = 'finding' | 'issue'
export type Subject = { kind: SubjectKind; id: number }

export type EntryRow = {
  id: number
  kind: SubjectKind
  subject_id: number
  what: 'comment' | 'assignment'
  at: Date
  author_id: number
  author_name: string
  token_id: number
  text: string
  assignee_id: number
  assignee_name: string
  edited_at: Date | null
  deleted_at: Date | null
  version: number
}

const columns = sql`e.id, e.kind, e.subject_id, e.what, e.at, e.author_id, e.author_name, e.token_id, e.text,
  e.assignee_id, e.assignee_name, e.edited_at, e.deleted_at, e.version`

const seen = (actor: Actor, kind: SubjectKind, column: ReturnType<typeof sql>) =>
  kind === 'finding' ? visibleFinding(actor, column) : visibleIssue(actor, column)

export async function isVisible(db: Queryable, actor: Actor, { kind, id }: Subject): Promise<boolean> {
  const rows = await db.query(sql`select 1 where ${seen(actor, kind, sql`${id}::bigint`)}`)
  return rows.length > 0
}

/** Those of the ids that the actor sees, held until the transaction ends so that they are not deleted meanwhile. */
export async function holdVisible(
  tx: Transaction,
  actor: Actor,
  kind: SubjectKind,
  ids: readonly number[],
): Promise<number[]> {
  const table = kind === 'finding' ? sql`finding` : sql`issue`
  const rows = await tx.query<{ id: number }>(sql`select s.id from ${table} s
    where s.deployment_id = ${tx.deploymentId} and s.id = any(${ids}::bigint[]) and ${seen(actor, kind, sql`s.id`)}
    order by s.id for key share of s`)
  return rows.map((row) => row.id)
}

/** Newest first, before an id. */
export function listEntries(db: Queryable, { kind, id }: Subject, before: number, limit: number): Promise<EntryRow[]> {
  return db.query(sql`select ${columns} from discussion_entry e
    where e.deployment_id = ${db.deploymentId} and e.kind = ${kind} and e.subject_id = ${id} and e.id < ${before}
    order by e.id desc limit ${limit}`)
}

export async function countEntries(db: Queryable, { kind, id }: Subject): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) from discussion_entry e
    where e.deployment_id = ${db.deploymentId} and e.kind = ${kind} and e.subject_id = ${id}`)
  return row!.count
}

export type PersonRow = { id: number; name: string }

/** A person of the deployment, who stays one until the transaction ends. */
export async function holdMember(tx: Transaction, personId: number): Promise<PersonRow | undefined> {
  const [held] = await tx.query(sql`select 1 from membership m
    where m.deployment_id = ${tx.deploymentId} and m.person_id = ${personId} for key share of m`)
  return held && findPerson(tx, personId)
}

async function findPerson(db: Queryable, personId: number): Promise<PersonRow | undefined> {
  const [row] = await db.query<PersonRow>(sql`select person.id, person.name from membership m
    join person on person.id = m.person_id where m.deployment_id = ${db.deploymentId} and m.person_id = ${personId}`)
  return row
}

/** Who asks, by the name they have now. */
export async function authorOf(tx: Transaction): Promise<PersonRow> {
  const { personId } = tx.actor
  return (await findPerson(tx, personId)) ?? { id: personId, name: '' }
}

export async function findAssignee(db: Queryable, { kind, id }: Subject): Promise<PersonRow | undefined> {
  const [row] = await db.query<PersonRow>(sql`select person.id, person.name from subject_assignment a
    join person on person.id = a.person_id
    where a.deployment_id = ${db.deploymentId} and a.kind = ${kind} and a.subject_id = ${id}`)
  return row
}

export async function insertComment(
  tx: Transaction,
  { kind, id }: Subject,
  author: PersonRow,
  text: string,
): Promise<EntryRow> {
  const [row] = await tx.query<EntryRow>(sql`insert into discussion_entry as e
      (deployment_id, kind, subject_id, what, author_id, author_name, token_id, text)
    values (${tx.deploymentId}, ${kind}, ${id}, 'comment', ${author.id}, ${author.name}, ${tx.actor.tokenId}, ${text})
    returning ${columns}`)
  return row!
}

export async function lockComment(tx: Transaction, id: number): Promise<EntryRow | undefined> {
  const [row] = await tx.query<EntryRow>(sql`select ${columns} from discussion_entry e
    where e.deployment_id = ${tx.deploymentId} and e.id = ${id} and e.what = 'comment' and e.deleted_at is null
    for update of e`)
  return row
}

export async function updateComment(tx: Transaction, id: number, text: string): Promise<EntryRow> {
  const [row] = await tx.query<EntryRow>(sql`update discussion_entry e
    set text = ${text}, edited_at = statement_timestamp(), version = e.version + 1
    where e.deployment_id = ${tx.deploymentId} and e.id = ${id} returning ${columns}`)
  return row!
}

export async function blankComment(tx: Transaction, id: number): Promise<EntryRow> {
  const [row] = await tx.query<EntryRow>(sql`update discussion_entry e
    set text = '', deleted_at = statement_timestamp(), version = e.version + 1
    where e.deployment_id = ${tx.deploymentId} and e.id = ${id} returning ${columns}`)
  return row!
}

/** Gives them to the person, or to nobody, with a line for each that was not theirs. Answers how many those were. */
export async function assignAll(
  tx: Transaction,
  kind: SubjectKind,
  ids: readonly number[],
  { author, assignee }: { author: PersonRow; assignee: PersonRow | undefined },
): Promise<number> {
  const changed = assignee
    ? sql`insert into subject_assignment as a (deployment_id, kind, subject_id, person_id)
        select ${tx.deploymentId}::bigint, ${kind}, given.id, ${assignee.id}::bigint
        from unnest(${ids}::bigint[]) as given (id) order by given.id
        on conflict (deployment_id, kind, subject_id) do update
          set person_id = excluded.person_id, assigned_at = excluded.assigned_at
          where a.person_id <> excluded.person_id
        returning subject_id`
    : sql`delete from subject_assignment a where a.deployment_id = ${tx.deploymentId} and a.kind = ${kind}
        and a.subject_id = any(${ids}::bigint[]) returning subject_id`
  const rows = await tx.query(sql`with changed as (${changed})
    insert into discussion_entry
      (deployment_id, kind, subject_id, what, author_id, author_name, token_id, assignee_id, assignee_name)
    select ${tx.deploymentId}::bigint, ${kind}, changed.subject_id, 'assignment', ${author.id}::bigint, ${author.name},
      ${tx.actor.tokenId}::bigint, ${assignee?.id ?? 0}::bigint, ${assignee?.name ?? ''}
    from changed order by changed.subject_id returning 1`)
  return rows.length
}
