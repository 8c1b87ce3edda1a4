import type { Api } from '../../kernel/contract/api.ts'
import { createToken, introspectSelf, listExpiringTokens, listTokens, revokeSelf, revokeToken } from './contract.ts'
import type { TokenService } from './service.ts'

export function tokenRoutes(api: Api, tokens: TokenService): void {
  api.serve(createToken, ({ actor, body }) => tokens.create(actor, body))
  api.serve(listTokens, ({ actor, query }) => tokens.list(actor, query))
  api.serve(listExpiringTokens, ({ actor }) => tokens.listExpiring(actor))
  api.serve(revokeToken, async ({ actor, params }) => ({ token: await tokens.revoke(actor, params.tokenId) }))
  api.serve(revokeSelf, async ({ caller, requestId }) => {
    await tokens.revokeSelf(caller, requestId)
    return { revoked: true }
  })
  api.serve(introspectSelf, ({ caller }) => tokens.introspect(caller))
}
