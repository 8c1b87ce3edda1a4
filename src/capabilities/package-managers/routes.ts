import type { Api } from '../../kernel/contract/api.ts'
import {
  createPackageManagerConfig,
  deletePackageManagerConfig,
  getPackageManagerConfig,
  listPackageManagerConfigs,
  updatePackageManagerConfig,
} from './contract.ts'
import type { PackageManagerService } from './service.ts'

export function packageManagerRoutes(api: Api, configs: PackageManagerService): void {
  api.serve(updatePackageManagerConfig, async ({ actor, params, body }) => ({
    packageManagerConfig: await configs.update(
      actor,
      params.packageManagerConfigId,
      body.packageManagerConfigForInsert,
    ),
  }))
  api.serve(listPackageManagerConfigs, async ({ actor }) => ({
    packageManagerConfigsWithCredentials: await configs.list(actor),
  }))
  api.serve(createPackageManagerConfig, async ({ actor, body }) => ({
    packageManagerConfig: await configs.create(actor, body.packageManagerConfigForInsert),
  }))
  api.serve(getPackageManagerConfig, async ({ actor, params }) => ({
    packageManagerConfig: await configs.get(actor, params.packageManagerConfigId),
  }))
  api.serve(deletePackageManagerConfig, async ({ actor, params }) => ({
    packageManagerConfig: await configs.remove(actor, params.packageManagerConfigId),
  }))
}
