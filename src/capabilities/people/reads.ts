import sql from 'sql-template-tag'
import type { IdentityQueryable, Transaction } from '../../kernel/database.ts'
import type { Role } from '../../kernel/permission.ts'
import { findAccount, insertAccount, insertMembership } from './store.ts'

export { hashPassword, nobodysHash, verifyPassword } from './password.ts'
export { findAccount }

export async function noteSignIn(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`update person set last_sign_in_at = now() where id = ${personId}`)
}

/** The account for an e-mail address, made if there is none. */
export async function accountFor(
  db: IdentityQueryable,
  account: { email: string; name: string; passwordHash: string; operator: boolean },
): Promise<{ id: number; made: boolean }> {
  const id = await insertAccount(db, account)
  if (id !== undefined) return { id, made: true }
  const existing = await findAccount(db, account.email)
  if (!existing) throw new Error('an account vanished while it was looked up')
  return { id: existing.id, made: false }
}

export function enroll(tx: Transaction, personId: number, role: Role): Promise<boolean> {
  return insertMembership(tx, personId, role)
}
