import { generateKeySync } from 'node:crypto'
import type { DatabaseVault } from '../src/kernel/database/database.ts'

const key = generateKeySync('hmac', { length: 256 })

/** For tests of what lies below the vault: seals nothing, and keys audit logs that nobody verifies. */
export const plainVault: DatabaseVault = {
  seal: (text) => Buffer.from(text),
  open: (bytes) => bytes.toString(),
  auditKeys: async () => ({ newest: 1, keys: new Map([[1, key]]) }),
}
