import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { DeploymentParams, NamedObject, OneOf } from '../../../kernel/contract/schema.ts'
import { fetching, preparing } from '../../exports/contract.ts'
import { common, filterBody, howFiltersWork } from '../contract.ts'

const base = '/api/sca/deployments/:deploymentId'
export const mediaTypes = { json: 'application/json', csv: 'text/csv' } as const
const download = { mediaTypes: Object.values(mediaTypes) }

export const DependencyExport = NamedObject('DependencyExport', {
  ...filterBody,
  format: Type.Optional(OneOf(['json', 'csv'], 'json by default')),
})
export type DependencyExport = Static<typeof DependencyExport>

export const exportDependencies = endpoint({
  ...common,
  id: 'exportDependencies',
  summary: 'Export dependencies',
  description: `All that the filter matches and the caller sees, ordered by repository, file and package version, as one document. In CSV, cells that a spreadsheet would take for a formula begin with an apostrophe, and each line also has the package URL. ${howFiltersWork}`,
  method: 'POST',
  path: `${base}/dependencies/export`,
  params: DeploymentParams,
  body: DependencyExport,
  response: fetching.response,
  download,
  faults: ['id_mismatch', 'unprocessable'],
})

export const prepareDependencyExport = endpoint({
  ...common,
  ...preparing,
  id: 'prepareDependencyExport',
  summary: 'Prepare an export of dependencies for a browser',
  path: `${base}/dependencies/exports`,
  body: DependencyExport,
  faults: ['id_mismatch', 'unprocessable'],
})

export const downloadDependencyExport = endpoint({
  ...common,
  ...fetching,
  id: 'downloadDependencyExport',
  summary: 'Fetch an export of dependencies that was prepared',
  path: `${base}/dependencies/exports/:exportTicket`,
  download,
  faults: ['not_found'],
})
