import type { Api } from '../../kernel/contract/api.ts'
import {
  createServiceAccount,
  createServiceAccountToken,
  deleteServiceAccount,
  listServiceAccounts,
  listServiceAccountTokens,
  updateServiceAccount,
} from './contract.ts'
import type { ServiceAccountService } from './service.ts'

export function serviceAccountRoutes(api: Api, accounts: ServiceAccountService): void {
  api.serve(listServiceAccounts, ({ actor, query }) => accounts.list(actor, query))
  api.serve(createServiceAccount, async ({ actor, body }) => ({ serviceAccount: await accounts.create(actor, body) }))
  api.serve(updateServiceAccount, async ({ actor, params, body }) => ({
    serviceAccount: await accounts.update(actor, params.serviceAccountId, body),
  }))
  api.serve(deleteServiceAccount, async ({ actor, params }) => ({
    serviceAccount: await accounts.remove(actor, params.serviceAccountId),
  }))
  api.serve(listServiceAccountTokens, ({ actor, params }) => accounts.listTokens(actor, params.serviceAccountId))
  api.serve(createServiceAccountToken, ({ actor, params, body }) =>
    accounts.createToken(actor, params.serviceAccountId, body),
  )
}
