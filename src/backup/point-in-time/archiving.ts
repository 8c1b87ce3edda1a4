import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../../kernel/database/database.ts'

export type Archiving = {
  archivedAt: Date | null
  failedAt: Date | null
  /** The segment that could not be archived last. */
  failed: string | null
  failures: number
  /** When the server began to count. */
  since: Date
}

/** What the server knows about getting its WAL into the archive. */
export async function readArchiving(db: WorkerQueryable): Promise<Archiving> {
  const [told] =
    await db.query<Archiving>(sql`select last_archived_time as "archivedAt", last_failed_time as "failedAt",
    last_failed_wal as failed, failed_count::int as failures, stats_reset as since from pg_stat_archiver`)
  return told!
}
