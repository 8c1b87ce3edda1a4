import sql from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'

/**
 * Waits for memories that are being applied to all repositories. A trigger does so too, but on a database that Citus distributes
 * its lock is that of another node.
 */
export async function passMemoryGate(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(memory_gate(${tx.deploymentId}::bigint))`)
}
