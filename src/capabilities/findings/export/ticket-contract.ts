import Type from 'typebox'
import type { Download } from '../../../kernel/contract/api.ts'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { AnyId, DeploymentParams, Timestamp } from '../../../kernel/contract/schema.ts'
import { exportMediaTypes, FindingExport } from '../contract.ts'

const base = '/api/findings/:deploymentId/exports'
const common = { tag: 'Findings', stability: 'beta', security: 'both', permission: 'findings:read' } as const

export const prepareExport = endpoint({
  ...common,
  id: 'prepareExport',
  summary: 'Prepare an export for a browser',
  description:
    'Answers a path to fetch the export from with GET, so that a browser streams it to disk. It works once, within a minute, for the same person, with their own credentials.',
  method: 'POST',
  path: base,
  params: DeploymentParams,
  body: FindingExport,
  response: Type.Object({
    path: Type.String({ description: 'Where the document is fetched from, once' }),
    expiresAt: Timestamp,
  }),
  faults: ['validation_failed'],
})

export const downloadExport = endpoint({
  ...common,
  id: 'downloadExport',
  summary: 'Fetch an export that was prepared',
  description: 'Once. What the caller does not see by now is not in it.',
  method: 'GET',
  path: `${base}/:exportTicket`,
  params: Type.Object({
    deploymentId: AnyId,
    exportTicket: Type.String({ minLength: 1, maxLength: 100, description: 'From the path that was answered' }),
  }),
  response: Type.Unsafe<Download>({ type: 'object', description: 'A document of the format asked for' }),
  download: { mediaTypes: exportMediaTypes },
  faults: ['not_found'],
})
