import type { Logger } from 'pino'
import type { Capability } from '../../domain/capability.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createIssuerKeys } from '../ci-trusts/public.ts'
import { endingSessions } from './ended-sessions.ts'
import { removeExpired } from './flow/flow-store.ts'
import { createProviderSignIn, type OpenSession } from './flow/sign-in.ts'
import { createOpenIdClients } from './issuer/openid-client.ts'
import { createBackChannelLogout } from './logout/logout.ts'
import { createAdmissions } from './membership/admission.ts'
import { providerAddresses } from './provider-addresses.ts'
import { signInProviderRoutes } from './routes.ts'
import { createSignInProviders } from './service.ts'

type Parts = {
  db: Database
  ring: KeyRing
  outbound: Outbound
  clock: Clock
  log: Logger
  publicUrl: string
  openSession: OpenSession
}

/** Signing in through OpenID providers: their set-up, the way there and back, and the logout that they ask for. */
export function createProviderCapability({
  db,
  ring,
  outbound,
  clock,
  log,
  publicUrl,
  openSession,
}: Parts): Capability {
  const clients = createOpenIdClients(outbound)
  const addresses = providerAddresses(publicUrl)
  const providers = createSignInProviders({ db, ring, clock, clients, addresses })
  const admissions = createAdmissions({ db, clock })
  const { openSecret } = providers
  const signIn = createProviderSignIn({ db, clock, log, clients, addresses, admissions, openSecret, openSession })
  const logout = createBackChannelLogout({ db, clock, log, keys: createIssuerKeys(outbound, clock) })
  return {
    serve: (api) => signInProviderRoutes(api, { providers, signIn, logout }),
    handlers: [endingSessions(db)],
    periodic: [
      {
        name: 'sign-in-providers.clean',
        everySeconds: 600,
        run: () => removeExpired({ query: db.identityQuery }, clock.now()),
      },
    ],
  }
}
