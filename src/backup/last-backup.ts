import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../kernel/database/database.ts'

/** When one was last made to its end. */
export async function lastBackup(db: WorkerQueryable): Promise<{ at: Date; bytes: number } | undefined> {
  const [last] = await db.query<{ at: Date; bytes: number }>(sql`select finished_at as at, bytes from last_backup`)
  return last
}
