import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { FindingCriteria } from './conditions.ts'

/** Where nothing is archived, what is not archived is everything, which counters and indexes tell sooner than one repository after the other. */
export async function withoutNeedlessArchived(db: Queryable, wanted: FindingCriteria): Promise<FindingCriteria> {
  if (wanted.archived !== false) return wanted
  const rows = await db.query(
    sql`select from repository r where r.deployment_id = ${db.deploymentId} and r.archived limit 1`,
  )
  return rows.length > 0 ? wanted : { ...wanted, archived: undefined }
}
