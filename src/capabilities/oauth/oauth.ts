import type { Api } from '../../kernel/contract/api.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import type { AttemptLimits } from '../sessions/public.ts'
import { createAuthorization } from './authorization.ts'
import { createClients } from './clients.ts'
import { createExchange } from './exchange.ts'
import { oauthRoutes } from './routes.ts'

/** Programs that connect by the address of the Model Context Protocol alone: OAuth 2.1 with a person who decides. */
export function createOAuth(parts: { db: Database; clock: Clock; limits: AttemptLimits; seal: CursorSeal }) {
  const { seal, clock, limits } = parts
  const clients = createClients(seal, clock)
  const authorization = createAuthorization({ ...parts, clients })
  const exchange = createExchange({ ...parts, clients })
  return { serve: (api: Api) => oauthRoutes(api, { clients, authorization, exchange, limits }) }
}
