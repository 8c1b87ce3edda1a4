import { createHash, randomBytes } from 'node:crypto'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import * as store from './state-store.ts'

const lifetimeMs = 10 * 60 * 1000
/** Of one person; who starts more often than that does not mean to finish them all. */
const mostOpen = 10

/** Ties the browser that comes back to the person and deployment that sent it off (RFC 6749 §10.12). */
export async function issueState(tx: Transaction, clock: Clock): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  const now = clock.now()
  await store.forget(tx, now, mostOpen - 1)
  await store.insert(tx, hashOf(state), new Date(now.getTime() + lifetimeMs))
  return state
}

/** Uses it up. One answer for all that can be wrong with it: who holds a foreign one learns nothing about it. */
export async function redeemState(tx: Transaction, state: string, clock: Clock): Promise<void> {
  const expiresAt = await store.take(tx, hashOf(state))
  if (expiresAt && expiresAt > clock.now()) return
  throw new Fault(
    'unprocessable',
    'This state was used before, is older than ten minutes, or belongs to another user or deployment. Start the installation again.',
    { errors: [{ pointer: '/state', detail: 'is not valid, or no longer' }] },
  )
}

function hashOf(state: string): Buffer {
  return createHash('sha256').update(state).digest()
}
