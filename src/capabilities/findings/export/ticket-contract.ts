import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { fetching, preparing } from '../../exports/contract.ts'
import { exportMediaTypes, FindingExport } from '../contract.ts'

const base = '/api/findings/:deploymentId/exports'
const common = { tag: 'Findings', stability: 'beta', security: 'both', permission: 'findings:read' } as const

export const prepareExport = endpoint({
  ...common,
  ...preparing,
  id: 'prepareExport',
  summary: 'Prepare an export for a browser',
  path: base,
  body: FindingExport,
  faults: ['validation_failed'],
})

export const downloadExport = endpoint({
  ...common,
  ...fetching,
  id: 'downloadExport',
  path: `${base}/:exportTicket`,
  download: { mediaTypes: exportMediaTypes },
  faults: ['not_found'],
})
