import Type from 'typebox'
import type { Download } from '../../kernel/contract/api.ts'
import { AnyId, DeploymentParams, Timestamp } from '../../kernel/contract/schema.ts'

/** What all endpoints that prepare an export for a browser have in common, and those that it is fetched from. */
export const preparing = {
  description:
    'Answers a path to fetch the export from with GET, so that a browser streams it to disk. It works once, within a minute, for the same person, with their own credentials.',
  method: 'POST',
  params: DeploymentParams,
  response: Type.Object({
    path: Type.String({ description: 'Where the document is fetched from, once' }),
    expiresAt: Timestamp,
  }),
} as const

export const fetching = {
  summary: 'Fetch an export that was prepared',
  description: 'Once. What the caller does not see by now is not in it.',
  method: 'GET',
  params: Type.Object({
    deploymentId: AnyId,
    exportTicket: Type.String({ minLength: 1, maxLength: 100, description: 'From the path that was answered' }),
  }),
  response: Type.Unsafe<Download>({ type: 'object', description: 'A document of the format asked for' }),
} as const
