import { createHash } from 'node:crypto'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { freeAt, giveBack, type Limit, take } from './attempt-store.ts'

export type AttemptLimits = ReturnType<typeof createAttemptLimits>

// For so long a process believes what the database said: a flood that is refused costs it one look a second.
const believeMs = 1_000
const maxRemembered = 10_000
const tooManySignIns = 'Too many failed sign-ins. Wait, or sign in from where you have signed in before.'

/**
 * Attempts to guess a password, counted in the database for all processes before the password is looked at: of a hundred at
 * the same moment no more get through than one after the other. Who was right gets theirs back.
 */
export function createAttemptLimits(db: Database, clock: Clock) {
  const refused = new Map<string, { until: number; freeAt: number }>()

  /** Throws where the limits are known to be reached, without a look into the database. */
  function check(limits: Limit[]): void {
    for (const { key, message } of limits) {
      const known = refused.get(key)
      if (known && known.until > performance.now() && known.freeAt > clock.now().getTime())
        throw tooMany(known.freeAt, message)
    }
  }

  /** Counts one attempt, and takes it back when it was right. Both in the order of the limits, so that nobody waits in a circle. */
  function guard(limits: Limit[]) {
    let at = clock.now()
    return {
      async begin(): Promise<void> {
        check(limits)
        at = clock.now()
        await db.identity(async (tx) => {
          for (const limit of limits) if (!(await take(tx, limit, at))) throw await refuse(tx, limit, at)
        })
      },
      async succeed(): Promise<void> {
        await db.identity(async (tx) => {
          for (const { key } of limits) await giveBack(tx, key, at)
        })
      },
    }
  }

  async function refuse(tx: IdentityQueryable, limit: Limit, now: Date): Promise<Fault> {
    const free = (await freeAt(tx, limit, now)).getTime()
    if (refused.size >= maxRemembered) refused.delete(refused.keys().next().value!)
    refused.set(limit.key, { until: performance.now() + believeMs, freeAt: free })
    return tooMany(free, limit.message)
  }

  function tooMany(free: number, message = tooManySignIns): Fault {
    const wait = Math.ceil((free - clock.now().getTime()) / 1000)
    return new Fault('too_many_requests', message, { retryAfterSeconds: Math.max(1, wait) })
  }

  return { check, guard }
}

/**
 * Ten a minute from one network. From where the account has not been used before, also twenty an hour for the account and
 * network, so that one stranger cannot use up what all strangers have: a hundred an hour for the account.
 */
export function signInLimits(
  account: { id: number } | undefined,
  email: string,
  network: string,
  known: boolean,
): Limit[] {
  const fromNetwork = { key: `network ${network}`, most: 10, seconds: 60 }
  if (known) return [fromNetwork]
  const who = account ? `person ${account.id}` : `nobody ${digestOf(email.toLowerCase())}`
  return [
    fromNetwork,
    { key: `${who} from ${network}`, most: 20, seconds: 3_600 },
    { key: who, most: 100, seconds: 3_600 },
  ]
}

/** Of the session, not of the account: whoever took over one session must not keep the others from changing the password. */
export function passwordChangeLimits(sessionId: string, network: string): Limit[] {
  return [
    { key: `network ${network}`, most: 10, seconds: 60 },
    { key: `session ${sessionId}`, most: 10, seconds: 3_600 },
  ]
}

/** What is typed instead of an address may be a password, so it is not kept. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
