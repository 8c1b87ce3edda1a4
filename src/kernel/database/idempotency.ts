import sql, { type Sql } from 'sql-template-tag'
import type { Actor, IdempotencyKey } from '../access/actor.ts'
import { versionOf, withVersion } from '../contract/etag.ts'
import { Fault } from '../contract/fault.ts'
import type { Transaction } from './transaction.ts'

/** Results kept for repetitions may hold a secret that is shown once, so they are stored sealed. */
export type IdempotencyVault = {
  seal(plaintext: string, context: string): Buffer
  open(sealed: Buffer, context: string): string
}

type Row = { fingerprint: string; result: Buffer | null }

/**
 * Takes the key for this transaction, or returns what the first transaction with it came to. A repetition that comes
 * while the first is still running waits on the unique index until that one has committed or rolled back.
 */
export async function claimIdempotencyKey<T>(
  tx: Transaction,
  vault: IdempotencyVault,
  actor: Actor,
  claim: IdempotencyKey,
  ordinal: number,
): Promise<{ result: T } | undefined> {
  await forgetKeptResults(tx)
  const claimed =
    await tx.query(sql`insert into idempotency_key (deployment_id, person_id, token_id, key, ordinal, fingerprint)
    values (${tx.deploymentId}, ${actor.personId}, ${actor.tokenId}, ${claim.key}, ${ordinal}, ${claim.fingerprint})
    on conflict do nothing returning 1 as claimed`)
  if (claimed.length > 0) return undefined
  const [row] = await tx.query<Row>(sql`select fingerprint, result from idempotency_key
    where deployment_id = ${tx.deploymentId} and person_id = ${actor.personId} and token_id = ${actor.tokenId}
      and key = ${claim.key} and ordinal = ${ordinal}`)
  if (!row?.result) throw new Error('an idempotency key without a result')
  if (row.fingerprint !== claim.fingerprint) {
    throw new Fault('idempotency_mismatch', `The Idempotency-Key '${claim.key}' was used for another request.`)
  }
  const kept = JSON.parse(vault.open(row.result, contextOf(actor, claim, ordinal))) as { result: T; version?: number }
  if (kept.version !== undefined) withVersion(kept.result as object, kept.version)
  return kept
}

/** Those of this deployment that no repetition gets any more. */
export async function forgetKeptResults(tx: Transaction): Promise<void> {
  await tx.query(sql`delete from idempotency_key
    where deployment_id = ${tx.deploymentId} and created_at < now() - interval '24 hours'`)
}

/** The statement that keeps a result for repetitions. */
export function keptResult(
  tx: Transaction,
  vault: IdempotencyVault,
  actor: Actor,
  claim: IdempotencyKey,
  ordinal: number,
  result: unknown,
): Sql {
  const sealed = vault.seal(JSON.stringify({ result, version: versionOf(result) }), contextOf(actor, claim, ordinal))
  return sql`update idempotency_key set result = ${sealed}
    where deployment_id = ${tx.deploymentId} and person_id = ${actor.personId} and token_id = ${actor.tokenId}
      and key = ${claim.key} and ordinal = ${ordinal}`
}

function contextOf(actor: Actor, claim: IdempotencyKey, ordinal: number): string {
  return JSON.stringify(['once', actor.deploymentId, actor.personId, actor.tokenId, claim.key, ordinal])
}
