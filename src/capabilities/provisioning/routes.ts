import type { Api } from '../../kernel/contract/api.ts'
import {
  createProvisioningToken,
  getProvisioning,
  listProvisionedGroups,
  listProvisionedUsers,
  listProvisioningRequests,
  updateProvisioning,
} from './contract.ts'
import type { ProvisioningSettings } from './settings.ts'

export function provisioningRoutes(api: Api, settings: ProvisioningSettings): void {
  api.serve(getProvisioning, async ({ actor }) => ({ provisioning: await settings.get(actor) }))
  api.serve(updateProvisioning, async ({ actor, body }) => ({ provisioning: await settings.update(actor, body) }))
  api.serve(createProvisioningToken, ({ actor, body }) => settings.createToken(actor, body))
  api.serve(listProvisionedUsers, ({ actor, query }) => settings.listUsers(actor, query))
  api.serve(listProvisionedGroups, ({ actor, query }) => settings.listGroups(actor, query))
  api.serve(listProvisioningRequests, ({ actor }) => settings.listRequests(actor))
}
