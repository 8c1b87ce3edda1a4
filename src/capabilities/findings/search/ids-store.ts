import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Range } from '../word-index/signature.ts'
import type { FindingCriteria } from './conditions.ts'

/** More are not worth looking up one by one. */
const mostIds = 5_000

/** Which findings can be meant at all, where the question itself says it; undefined where it does not, or too many can. */
export async function rangesOfIds(db: Queryable, wanted: FindingCriteria): Promise<Range[] | undefined> {
  if (wanted.findingIds) return rangesOf([...new Set(wanted.findingIds)])
  const { assignees } = wanted
  if (assignees && !assignees.nobody) {
    const given = await db.query<{ id: number }>(sql`select a.subject_id as id from subject_assignment a
      where a.deployment_id = ${db.deploymentId} and a.kind = 'finding' and a.person_id = any(${assignees.people}::bigint[])
      limit ${mostIds + 1}`)
    if (given.length <= mostIds) return rangesOf(given.map(({ id }) => id))
  }
  if (wanted.hasTicket !== true) return undefined
  const rows = await db.query<{ id: number }>(sql`select ts.subject_id as id from ticket_subject ts
    where ts.deployment_id = ${db.deploymentId} and ts.kind = 'finding' limit ${mostIds + 1}`)
  return rows.length > mostIds ? undefined : rangesOf(rows.map(({ id }) => id))
}

function rangesOf(ids: readonly number[]): Range[] {
  return ids.map((id) => ({ first: id, last: id }))
}
