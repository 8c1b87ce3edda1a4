import type { Api } from '../../kernel/contract/api.ts'
import {
  exportSbom,
  findDependencyPaths,
  getLicenceOverview,
  listBillStatements,
  listDependencies,
  listLockfiles,
  listRepositoriesWithDependencies,
} from './contract.ts'
import { downloadDependencyExport, exportDependencies, prepareDependencyExport } from './export/export-contract.ts'
import type { DependencyService } from './service.ts'

export function dependencyRoutes(api: Api, dependencies: DependencyService): void {
  api.serve(listRepositoriesWithDependencies, ({ actor, body }) => dependencies.listRepositories(actor, body))
  api.serve(listDependencies, ({ actor, body }) => dependencies.listDependencies(actor, body))
  api.serve(listLockfiles, async ({ actor, params }) => ({
    lockfiles: await dependencies.listLockfiles(actor, params.repositoryId),
  }))
  api.serve(listBillStatements, ({ actor, params, query }) =>
    dependencies.statements(actor, params.repositoryId, query),
  )
  api.serve(findDependencyPaths, ({ actor, params, body }) => dependencies.paths(actor, params.repositoryId, body))
  api.serve(exportDependencies, ({ actor, body }) => dependencies.exportAs(actor, body))
  api.serve(prepareDependencyExport, ({ actor, body }) => dependencies.prepareExport(actor, body))
  api.serve(downloadDependencyExport, ({ actor, params }) => dependencies.downloadExport(actor, params.exportTicket))
  api.serve(exportSbom, ({ actor, params, query }) => dependencies.sbom(actor, params.repositoryId, query))
  api.serve(getLicenceOverview, ({ actor, query }) => dependencies.licences(actor, query))
}
