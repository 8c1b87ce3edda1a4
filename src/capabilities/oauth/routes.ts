import { withAnswer } from '../../kernel/contract/answer.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { type AttemptLimits, networkOf } from '../sessions/public.ts'
import type { Authorization } from './authorization.ts'
import type { Clients } from './clients.ts'
import {
  connectProgram,
  endProgramToken,
  getAuthorizationServer,
  getProgramToken,
  getProtectedResource,
  listConnectedPrograms,
  registerProgram,
  showProgramRequest,
} from './contract.ts'
import type { Exchange } from './exchange.ts'
import { authorizationServer, protectedResource } from './metadata.ts'

type Parts = { clients: Clients; authorization: Authorization; exchange: Exchange; limits: AttemptLimits }

export function oauthRoutes(api: Api, { clients, authorization, exchange, limits }: Parts): void {
  api.serve(getProtectedResource, ({ origin }) => protectedResource(origin))
  api.serve(getAuthorizationServer, ({ origin }) => authorizationServer(origin))
  api.serve(registerProgram, async ({ body, address }) => {
    await limits.guard([registrationLimit(address)]).begin()
    const { clientId, client } = clients.register(body.client_name, body.redirect_uris)
    const registered = {
      client_id: clientId,
      client_id_issued_at: client.registeredAt,
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none' as const,
    }
    return withAnswer({ status: 201, body: registered })
  })
  api.serve(getProgramToken, ({ body, address, requestId, origin }) =>
    exchange.exchange(body, { address, requestId, origin }),
  )
  api.serve(endProgramToken, async ({ body, address, requestId }) => {
    await exchange.end(body.token, { address, requestId })
    return {}
  })
  api.serve(showProgramRequest, ({ body, origin }) => authorization.show(body.request, origin))
  api.serve(connectProgram, ({ actor, body, origin }) => authorization.connect(actor, body, origin))
  api.serve(listConnectedPrograms, ({ actor }) => authorization.list(actor))
}

function registrationLimit(address: string) {
  const message = 'Too many programs register from this network.'
  return { key: `oauth registration ${networkOf(address)}`, most: 30, seconds: 60, message }
}
