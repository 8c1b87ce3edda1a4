import type { Logger } from 'pino'
import { createAccessTokens } from './capabilities/sessions/access-token.ts'
import { createAccountRecord } from './capabilities/sessions/account-record.ts'
import { createAttemptLimits } from './capabilities/sessions/attempt-limits.ts'
import { createAuthenticator } from './capabilities/sessions/authenticator.ts'
import { sessionRoutes } from './capabilities/sessions/routes.ts'
import { createSessionService } from './capabilities/sessions/service.ts'
import { createSigningKeys } from './capabilities/sessions/signing-keys.ts'
import { signInUpkeep } from './capabilities/sessions/upkeep.ts'
import type { Capability } from './domain/capability.ts'
import type { Database } from './kernel/database/database.ts'
import type { Clock } from './kernel/time/clock.ts'
import type { KeyRing } from './vault/key-ring.ts'

export type Sessions = ReturnType<typeof composeSessions>

/** Signing in, and knowing who asks: the web server needs it before any other capability. */
export function composeSessions({ db, ring, clock, log }: { db: Database; ring: KeyRing; clock: Clock; log: Logger }) {
  const signingKeys = createSigningKeys(db, ring)
  const accessTokens = createAccessTokens(signingKeys, clock)
  const authenticator = createAuthenticator(db, accessTokens, clock)
  const limits = createAttemptLimits(db, clock)
  const record = createAccountRecord({ db, clock, log })
  const service = createSessionService({ db, accessTokens, limits, record, clock })
  return {
    serve: (api) => sessionRoutes(api, service, signingKeys),
    periodic: signInUpkeep({ db, record, clock }),
    close: authenticator.close,
    signingKeys,
    authenticator,
    limits,
    record,
  } satisfies Capability & Record<string, unknown>
}
