import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { AdvisoryRow } from './advisory-row.ts'

/** An advisory about malicious packages, for whoever reads them from us. */
export type PublishedAdvisory = {
  feedId: number
  id: string
  live: boolean
  modifiedAt: Date
  summary: string
  packages: AdvisoryRow['packages']
}

const columns = sql`feed_id as "feedId", id, live, modified_at as "modifiedAt", summary, packages`

/** Those with these ids that a feed still has; of one that several have, the latest. */
export function listAdvisories(db: Queryable, ids: readonly string[]): Promise<PublishedAdvisory[]> {
  return db.query(sql`select distinct on (id) ${columns} from advisory where id = any(${[...ids]}::text[]) and listed
    order by id, modified_at desc`)
}

export type AdvisoryPosition = { feedId: number; id: string }

/** All that are about packages of an ecosystem, from after a position on, withdrawn ones too. */
export function listAdvisoriesAbout(
  db: Queryable,
  ecosystem: EcosystemId,
  after: AdvisoryPosition,
  limit: number,
): Promise<PublishedAdvisory[]> {
  return db.query(sql`select ${columns} from advisory
    where (feed_id, id) > (${after.feedId}, ${after.id}) and listed and packages @> ${about(ecosystem)}::jsonb
    order by feed_id, id limit ${limit}`)
}

/** A line for each, the latest change first. */
export async function modifiedLines(db: Queryable, ecosystem: EcosystemId): Promise<string> {
  const [row] = await db.query<{ lines: string | null }>(sql`select string_agg(
      to_char(modified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ',' || id, E'\n'
      order by modified_at desc, id) as lines
    from (select id, max(modified_at) as modified_at from advisory
      where listed and packages @> ${about(ecosystem)}::jsonb group by id) record`)
  return row?.lines ?? ''
}

/** Moves with every change of them. */
export async function readRevision(db: Queryable): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`select revision from advisory_state`)
  return row!.revision
}

const about = (ecosystem: EcosystemId) => JSON.stringify([{ ecosystem }])
