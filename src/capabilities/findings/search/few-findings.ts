import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { graded } from '../deadlines/store.ts'
import type { Range } from '../word-index/signature.ts'
import { type FindingCriteria, onKind, streamsFor, within } from './conditions.ts'
import { changeOf } from './further-parts.ts'

/** More are not worth looking up one by one. */
const mostIds = 5_000

/** Which findings can be meant at all, where the question itself says it; undefined where it does not, or too many can. */
export async function rangesOfIds(db: Queryable, wanted: FindingCriteria): Promise<Range[] | undefined> {
  if (wanted.findingIds) return rangesOf([...new Set(wanted.findingIds)])
  const { assignees } = wanted
  if (assignees && !assignees.nobody) {
    const given = await fewOf(
      db,
      sql`select a.subject_id as id from subject_assignment a where a.deployment_id = ${db.deploymentId}
        and a.kind = 'finding' and a.person_id = any(${assignees.people}::bigint[])`,
    )
    if (given) return given
  }
  if (wanted.hasTicket !== true) return undefined
  return fewOf(
    db,
    sql`select ts.subject_id as id from ticket_subject ts where ts.deployment_id = ${db.deploymentId} and ts.kind = 'finding'`,
  )
}

/** The same where an index leads to few findings that have one part of what is asked; each is tried until one does. */
export async function rangesOfFew(db: Queryable, wanted: FindingCriteria): Promise<Range[] | undefined> {
  for (const way of [ofStreams, ofFixes, ofDeadlines]) {
    const ids = way(db.deploymentId, wanted)
    const few = ids && (await fewOf(db, ids))
    if (few) return few
  }
  return (await ofChanges(db, wanted)) ?? ofKinds(db, wanted)
}

async function fewOf(db: Queryable, ids: Sql): Promise<Range[] | undefined> {
  const rows = await db.query<{ id: number }>(sql`${ids} limit ${mostIds + 1}`)
  return rows.length > mostIds ? undefined : rangesOf(rows.map(({ id }) => id))
}

function rangesOf(ids: readonly number[]): Range[] {
  return ids.map((id) => ({ first: id, last: id }))
}

function ofStreams(deploymentId: number, wanted: FindingCriteria): Sql | undefined {
  if (!wanted.refs && !wanted.sources && wanted.pullRequest === undefined) return undefined
  return sql`select f.id from (${streamsFor(wanted, deploymentId)}) stream cross join lateral (
    select i.id from finding i where i.deployment_id = ${deploymentId} and i.stream_id = stream.id offset 0) f`
}

/** What is fixed became so with its last change. */
function ofFixes(deploymentId: number, { fixed }: FindingCriteria): Sql | undefined {
  const span = within(sql`f.state_at`, fixed)
  return (
    span &&
    sql`select f.id from finding f where f.deployment_id = ${deploymentId} and f.state = ${stateIs.fixed} and ${span}`
  )
}

/** Of each severity, what is older than it may be, by the index of what stands on branches. */
function ofDeadlines(deploymentId: number, { overdue }: FindingCriteria): Sql | undefined {
  if (!overdue) return undefined
  const limits = graded.map(({ code, days }) => sql`(${code}::smallint, d.${days})`)
  return sql`select f.id from finding_deadline d cross join lateral (values ${join(limits)}) own (severity, days)
    cross join lateral (select i.id from finding i where i.deployment_id = ${deploymentId} and i.pull_request = 0
      and i.state <= ${stateIs.provisionallyIgnored} and i.severity = own.severity
      and i.raised_at < now() - own.days * interval '24 hours' offset 0) f
    where d.deployment_id = ${deploymentId}`
}

/** Of more changes than that, those asked for may be few and far between. */
const mostChanges = 20_000

async function ofChanges(db: Queryable, { happened, happenedAt }: FindingCriteria): Promise<Range[] | undefined> {
  if (!happened && !happenedAt) return undefined
  const changes = sql`select h.finding_id, h.from_state, h.to_state from finding_history h
    where h.deployment_id = ${db.deploymentId} ${changeOf({ happened: undefined, happenedAt })} limit ${mostChanges + 1}`
  const [row] = await db.query<{ looked: number; ids: number[] }>(sql`with change as materialized (${changes})
    select (select count(*) from change) as looked, coalesce((select jsonb_agg(distinct h.finding_id) from change h
      where true ${changeOf({ happened, happenedAt: undefined })}), '[]') as ids`)
  const { looked, ids } = row!
  return looked > mostChanges || ids.length > mostIds ? undefined : rangesOf(ids)
}

/** This many are gone through in some milliseconds. */
const mostKinds = 2_500

const kind = ['reason', 'decided_by', 'validity', 'reachability', 'confidence', 'category'].concat([
  'malicious',
  'silenced',
  'duplicate',
])
const kindOf = (row: string) => raw(kind.map((column) => `${row}.${column}`).join(', '))

/** From one kind to the next along their index, however many findings are in between; then the findings of those that are asked for. */
async function ofKinds(db: Queryable, wanted: FindingCriteria): Promise<Range[] | undefined> {
  const asked = onKind(wanted)
  if (!asked) return undefined
  const next = (behind: Sql) => sql`select ${kindOf('f')} from finding f
    where f.deployment_id = ${db.deploymentId} ${behind} order by ${kindOf('f')} limit 1`
  // Not by `=`: where statistics know of one kind alone, a planner would go through all findings for it. This it looks up in order.
  const among = sql`select i.id from finding i where i.deployment_id = ${db.deploymentId}`
  const [row] = await db.query<{ kinds: number; ids: number[] }>(sql`with recursive step as (
      (${next(empty)})
      union all
      select further.* from step
        cross join lateral (${next(sql`and (${kindOf('f')}) > (${kindOf('step')})`)}) further
    ), kind as materialized (select * from step limit ${mostKinds + 1})
    select (select count(*) from kind) as kinds, array(
      select found.id from kind f cross join lateral (
        ${among} and (${kindOf('i')}) >= (${kindOf('f')}) and (${kindOf('i')}) <= (${kindOf('f')})
        order by ${kindOf('i')} limit ${mostIds + 1}) found
      where ${asked} limit ${mostIds + 1}) as ids`)
  const { kinds, ids } = row!
  return kinds > mostKinds || ids.length > mostIds ? undefined : rangesOf(ids)
}
