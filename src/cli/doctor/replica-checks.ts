import type { Database } from '../../kernel/database/database.ts'
import type { CheckResult } from './machine-checks.ts'

/** Whether the replica can be read from. Without it everything works, on the primary. */
export function checkReplica({ replica }: Pick<Database, 'replica'>): CheckResult[] {
  if (!replica) return []
  const { usable, detail } = replica.state()
  if (usable) return [{ part: 'replica', state: 'ok', detail: `verified; ${detail}` }]
  const advice = 'Reads go to the primary. Look after the server in GATEHOUSE_READ_DATABASE_URL.'
  return [{ part: 'replica', state: 'warning', detail, advice }]
}
