import sql from 'sql-template-tag'
import type { Actor } from '../kernel/access/actor.ts'
import type { Database, IdentityQueryable, Transaction } from '../kernel/database/database.ts'
import type { KeyRing, SealedField, SealedValue } from './key-ring.ts'
import { stillSealsInstance } from './rotation/stored-keys.ts'

/** A secret on its way into the database, and where it will lie. */
export type Secret = { plaintext: string; place: SealedField }

/** Rolls a transaction back to seal again. */
class KeyRotated extends Error {}

/**
 * A transaction that writes a sealed value. It is sealed before, since a transaction does no I/O but SQL; if the key is
 * rotated in between, it is sealed again. So a rotation that ends leaves no value of an older key behind, nor one under way.
 */
export function sealedTransaction<T>(
  vault: { db: Database; ring: KeyRing },
  actor: Actor,
  secret: Secret | undefined,
  work: (tx: Transaction, sealed: SealedValue | undefined) => Promise<T>,
): Promise<T> {
  return sealedTransactionOf(vault, actor, secret ? [secret] : [], (tx, [sealed]) => work(tx, sealed))
}

/** The same for several values, which come sealed in the order of the secrets. */
export async function sealedTransactionOf<T>(
  { db, ring }: { db: Database; ring: KeyRing },
  actor: Actor,
  secrets: readonly Secret[],
  work: (tx: Transaction, sealed: SealedValue[]) => Promise<T>,
): Promise<T> {
  if (secrets.length === 0) return db.transaction(actor, (tx) => work(tx, []))
  const begun = actor.idempotencyKey?.transactions
  for (;;) {
    const sealed: SealedValue[] = []
    for (const { plaintext, place } of secrets) {
      sealed.push(await ring.seal(String(actor.deploymentId), plaintext, place))
    }
    try {
      return await db.transaction(actor, async (tx) => {
        for (const value of sealed) await requireSealing(tx, value)
        return work(tx, sealed)
      })
    } catch (error) {
      if (!(error instanceof KeyRotated)) throw error
      // What was rolled back does not count, or a repetition would not find this request's result.
      if (actor.idempotencyKey && begun !== undefined) actor.idempotencyKey.transactions = begun
    }
  }
}

/** The same for a value of the instance, which no deployment has. */
export async function sealedIdentity<T>(
  { db, ring }: { db: Database; ring: KeyRing },
  { plaintext, place }: { plaintext: Uint8Array; place: SealedField },
  work: (tx: IdentityQueryable, sealed: SealedValue) => Promise<T>,
): Promise<T> {
  for (;;) {
    const sealed = await ring.seal('instance', plaintext, place)
    try {
      return await db.identity(async (tx) => {
        if (!(await stillSealsInstance(tx, Number(sealed.keyVersion)))) throw new KeyRotated()
        return work(tx, sealed)
      })
    } catch (error) {
      if (!(error instanceof KeyRotated)) throw error
    }
  }
}

async function requireSealing(tx: Transaction, { keyVersion }: SealedValue): Promise<void> {
  const [row] = await tx.query<{ current: boolean }>(sql`select still_seals(${Number(keyVersion)}) as current`)
  if (!row?.current) throw new KeyRotated()
}
