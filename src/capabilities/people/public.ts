import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable, Transaction } from '../../kernel/database/database.ts'
import { findAccount, findAccountById, insertFirstAccount, insertMembership } from './store.ts'

export { derivations, hashPassword, isPassword, nobodysHash, verifyPassword } from './passwords/password.ts'
export { isWeak, weakness } from './passwords/weak-password.ts'
export { findAccount, findAccountById, insertFirstAccount }

export async function noteSignIn(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`update person set last_sign_in_at = now() where id = ${personId}`)
}

export function enroll(tx: Transaction, personId: number, role: Role): Promise<boolean> {
  return insertMembership(tx, personId, role)
}
