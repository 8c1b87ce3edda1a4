import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  createPackageClaim,
  deletePackageClaim,
  listPackageClaims,
  listPackageNames,
  releasePackageNames,
} from './contract.ts'
import type { PackageNameService } from './service.ts'

export function packageNameRoutes(api: Api, names: PackageNameService): void {
  api.serve(listPackageClaims, ({ actor, query }) => names.listClaims(actor, pageRequest(query)))
  api.serve(createPackageClaim, async ({ actor, body }) => ({ claim: await names.claim(actor, body) }))
  api.serve(deletePackageClaim, async ({ actor, params }) => ({
    claim: await names.deleteClaim(actor, params.packageClaimId),
  }))
  api.serve(listPackageNames, ({ actor, query }) => names.listNames(actor, pageRequest(query)))
  api.serve(releasePackageNames, ({ actor, body }) => names.release(actor, body))
}
