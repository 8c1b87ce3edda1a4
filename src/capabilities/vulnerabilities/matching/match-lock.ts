import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'

/**
 * Who matches an inventory that is not committed yet passes here first. Whoever has to look at all inventories after a change of
 * the advisories waits until those are through who may have matched with the former ones: they are committed then, and
 * who comes after them matches with the new ones.
 */
export async function enterMatching(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(hashtextextended(${subject(tx)}, 0))`)
}

export async function waitForRunningMatches(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${subject(tx)}, 0))`)
}

function subject(tx: Transaction): string {
  return `vulnerabilities:${tx.deploymentId}`
}
