import type { Api } from '../../../kernel/contract/api.ts'
import { completePackageNames, countDependencies, getPackage, searchPackages } from './package-contract.ts'
import type { PackageService } from './packages.ts'

export function packageRoutes(api: Api, packages: PackageService): void {
  api.serve(searchPackages, ({ actor, body }) => packages.search(actor, body))
  api.serve(getPackage, async ({ actor, params }) => ({
    package: await packages.get(actor, params.ecosystem, params.name),
  }))
  api.serve(completePackageNames, ({ actor, query }) => packages.names(actor, query))
  api.serve(countDependencies, ({ actor, body }) => packages.counts(actor, body))
}
