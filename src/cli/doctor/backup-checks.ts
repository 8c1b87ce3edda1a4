import { lastBackup } from '../../backup/last-backup.ts'
import type { WorkerQueryable } from '../../kernel/database/database.ts'
import { isDistributedFor } from '../../kernel/database/distribution/is-distributed.ts'
import { readableSize } from '../../kernel/text/readable-size.ts'
import type { CheckResult } from './machine-checks.ts'

const usualHours = 24

/** How old the last good backup is. A schedule that is late by as much again has failed. */
export async function checkBackup(db: WorkerQueryable, hours = usualHours, now = Date.now()): Promise<CheckResult> {
  const part = 'backup'
  if (await isDistributedFor(db))
    return { part, state: 'ok', detail: 'every node of Citus has its own, which are not known here (docs/citus.md)' }
  const last = await lastBackup(db)
  if (!last) {
    const advice =
      'Set GATEHOUSE_BACKUP_FOLDER, or run npx gatehouse backup FILE each day. Other backups are not known here.'
    return { part, state: 'warning', detail: 'none was made', advice }
  }
  const hoursAgo = (now - last.at.getTime()) / 3_600_000
  if (hoursAgo < -1) {
    const detail = `the last one is dated ${Math.floor(-hoursAgo)} hours in the future`
    return { part, state: 'warning', detail, advice: 'Set the clock right, and run npx gatehouse backup FILE.' }
  }
  const age = Math.max(0, Math.floor(hoursAgo))
  const detail = `the last one was made ${age} hours ago, ${readableSize(last.bytes)}`
  if (age < 2 * hours) return { part, state: 'ok', detail }
  return {
    part,
    state: 'warning',
    detail,
    advice: 'See in the log why none was made since, or run npx gatehouse backup FILE.',
  }
}
