import type { Api } from '../../kernel/contract/api.ts'
import { listWatchedPackages, unwatchPackage, watchPackage } from './contract.ts'
import type { PackageWatches } from './service.ts'

export function packageWatchRoutes(api: Api, watches: PackageWatches): void {
  api.serve(listWatchedPackages, async ({ actor, query }) => ({ watches: await watches.list(actor, query) }))
  api.serve(watchPackage, async ({ actor, params }) => ({
    watch: await watches.watch(actor, params.ecosystem, params.name),
  }))
  api.serve(unwatchPackage, async ({ actor, params }) => ({
    watch: await watches.unwatch(actor, params.ecosystem, params.name),
  }))
}
