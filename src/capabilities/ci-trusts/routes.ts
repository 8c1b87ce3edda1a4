import type { Api } from '../../kernel/contract/api.ts'
import { createCiTrust, deleteCiTrust, exchangeToken, listCiTrusts, replaceCiTrust } from './contract.ts'
import type { createExchange } from './exchange/exchange.ts'
import type { CiTrustService } from './service.ts'

export function ciTrustRoutes(api: Api, trusts: CiTrustService, { exchange }: ReturnType<typeof createExchange>): void {
  api.serve(listCiTrusts, ({ actor, query }) => trusts.list(actor, query))
  api.serve(createCiTrust, async ({ actor, body }) => ({ trust: await trusts.create(actor, body) }))
  api.serve(replaceCiTrust, async ({ actor, params, body }) => ({
    trust: await trusts.replace(actor, params.trustId, body),
  }))
  api.serve(deleteCiTrust, async ({ actor, params }) => ({ trust: await trusts.remove(actor, params.trustId) }))
  api.serve(exchangeToken, ({ body, requestId }) => exchange(body, requestId))
}
