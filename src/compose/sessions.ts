import type { Logger } from 'pino'
import { aboutServer } from '../about-server.ts'
import { factorCleanup } from '../capabilities/factors/cleanup.ts'
import { createNotices } from '../capabilities/factors/notices.ts'
import { createOwnFactors } from '../capabilities/factors/own-factors.ts'
import { createPasskeys } from '../capabilities/factors/passkeys/passkeys.ts'
import { relyingPartyOf } from '../capabilities/factors/passkeys/relying-party.ts'
import { createFactorReset } from '../capabilities/factors/reset.ts'
import { factorRoutes } from '../capabilities/factors/routes.ts'
import { createSecondStep } from '../capabilities/factors/second-step.ts'
import { createAuthenticator } from '../capabilities/sessions/authenticator.ts'
import { browserSessionRoutes } from '../capabilities/sessions/browser/browser-routes.ts'
import { createBrowserSessions } from '../capabilities/sessions/browser/browser-sessions.ts'
import { createProvenSessions } from '../capabilities/sessions/browser/proven-sessions.ts'
import { createAccountRecord } from '../capabilities/sessions/history/account-record.ts'
import { signInCleanup } from '../capabilities/sessions/history/cleanup.ts'
import { ownSessionRoutes } from '../capabilities/sessions/own/own-sessions.ts'
import { sessionRoutes } from '../capabilities/sessions/routes.ts'
import { createSessionService } from '../capabilities/sessions/service.ts'
import { createAttemptLimits } from '../capabilities/sessions/throttling/attempt-limits.ts'
import { createAccessTokens } from '../capabilities/sessions/tokens/access-token.ts'
import { createSigningKeys } from '../capabilities/sessions/tokens/signing-keys.ts'
import type { Capability } from '../domain/capability.ts'
import type { Database } from '../kernel/database/database.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../vault/key-ring.ts'

type Parts = { db: Database; ring: KeyRing; clock: Clock; log: Logger; settings: Settings }

export type Sessions = ReturnType<typeof composeSessions>

/** Signing in, and knowing who asks: the web server needs it before any other capability. */
export function composeSessions({ db, ring, clock, log, settings }: Parts) {
  const signingKeys = createSigningKeys(db, ring)
  const accessTokens = createAccessTokens(signingKeys, clock)
  const authenticator = createAuthenticator(db, accessTokens, clock, settings.secondFactor)
  const limits = createAttemptLimits(db, clock)
  const record = createAccountRecord({ db, clock, log })
  const notices = createNotices({ db, canMail: settings.mail !== undefined })
  const common = { db, ring, limits, record, notices, clock }
  const secondStep = createSecondStep(common)
  const passkeys = createPasskeys({ ...common, party: relyingPartyOf(settings) })
  const { publicUrl, secondFactor: requirement } = settings
  const own = createOwnFactors({ ...common, passkeys, requirement, publicUrl })
  const reset = createFactorReset(common)
  const service = createSessionService({ ...common, accessTokens, secondStep })
  const about = aboutServer(settings)
  const browser = createBrowserSessions({ ...common, sessions: service, secondStep, passkeys, about })
  return {
    serve: (api) => {
      sessionRoutes(api, service, signingKeys)
      browserSessionRoutes(api, browser, service)
      ownSessionRoutes(api, { db, clock, record })
      factorRoutes(api, { own, passkeys, reset })
    },
    periodic: [...signInCleanup({ db, record, clock }), factorCleanup({ db, clock })],
    close: authenticator.close,
    signingKeys,
    authenticator,
    limits,
    record,
    proven: createProvenSessions({ db, record, clock }),
    service,
  } satisfies Capability & Record<string, unknown>
}
