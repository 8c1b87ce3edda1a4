import sql from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'
import { settle } from './scim/group-rules.ts'
import { find } from './store.ts'

/** Whoever joins and was provisioned gets what their groups give. */
export async function settleJoined(tx: Transaction, personId: number): Promise<void> {
  const settings = await find(tx)
  if (!settings?.enabled) return
  const rows = await tx.query<{ id: number }>(sql`select id from provisioned_user
    where deployment_id = ${tx.deploymentId} and person_id = ${personId}`)
  if (rows.length > 0) await settle(tx, [rows[0]!.id], settings.default_role)
}
