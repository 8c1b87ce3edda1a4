import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import { AnyId, DeploymentParams, Id, NamedObject, OneOf, RepositoryName } from '../../kernel/contract/schema.ts'
import { Commit, FilePath, Kind, NewScan, PullRequest, Receipt, Ref, Root, Scan, Tool } from './scan.ts'

export { BlockingFinding, NewScan, Receipt, Scan, ScanFile, ScanProblem } from './scan.ts'

const tag = 'Scans'
const path = '/api/scans/v1/deployments/:deploymentId/scans'

const faults = [
  'malformed_request',
  'payload_too_large',
  'unsupported_media_type',
  'unprocessable',
  'unknown_repository',
] as const

export const uploadScan = endpoint({
  id: 'uploadScan',
  summary: 'Upload a scan',
  description:
    'A multipart/form-data body: first a part named scan with JSON, then one part for each lockfile, bill of materials or SARIF log, its name being the path in the repository. The body may be compressed (Content-Encoding gzip or zstd), as may each file. At most 256 MiB as sent, 1 GiB unpacked, 10,000 files. Formats are recognised by content. It happens as a whole or not at all: a full scan of the default branch becomes the inventory of the repository; other scans, and those that have nothing but SARIF logs, leave the inventory alone. Findings of a SARIF log are raised, and what a tool no longer finds on this ref or in this pull request is fixed. A file that cannot be read is a problem in the receipt; where no file can be read, nothing is changed and the answer is an error that names each problem.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewScan,
  upload: { form: 'multipart', bodyPart: 'scan' },
  response: Receipt,
  faults,
})

export const RawScanQuery = Type.Object({
  repository: RepositoryName,
  ref: Ref,
  path: FilePath,
  commit: Type.Optional(Commit),
  tool: Type.Optional(Tool),
  root: Type.Optional(Root),
  createRepository: Type.Optional(OneOf(['true', 'false'], 'Create the repository if there is none; true by default')),
})
export type RawScanQuery = Static<typeof RawScanQuery>

export const uploadDocument = endpoint({
  id: 'uploadDocument',
  summary: 'Upload a full scan of one document',
  description:
    'The body is the document itself, gzip or zstd if wanted. The same as uploading a scan with this one file: the inventory then has this file and no other.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:write',
  method: 'POST',
  path: `${path}/raw`,
  params: DeploymentParams,
  query: RawScanQuery,
  upload: { form: 'document' },
  response: Receipt,
  faults,
})

export const ScanQuery = Type.Object({
  repositoryId: Type.Optional(Id),
  kind: Type.Optional(Kind),
  ref: Type.Optional(Ref),
  pullRequest: Type.Optional(PullRequest),
  commit: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{4,64}$', maxLength: 64, description: 'Commits that begin like this' }),
  ),
  tool: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Tools that contain this, in any letter case' }),
  ),
  blocked: Type.Optional(OneOf(['true', 'false'], 'Only those that were, or were not, blocked')),
  problems: Type.Optional(OneOf(['true', 'false'], 'Only those with, or without, problems')),
  ...pageQuery,
})
export type ScanQuery = Static<typeof ScanQuery>

export const listScans = endpoint({
  id: 'listScans',
  summary: 'List scans',
  description: 'Newest first; those of repositories the caller sees.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: ScanQuery,
  response: Type.Object({
    scans: Type.Array(Scan, { description: 'A page of scans, newest first' }),
    ...pageFields,
  }),
  faults: [],
})

const ScanParams = Type.Object({ deploymentId: AnyId, scanId: AnyId })

export const getScan = endpoint({
  id: 'getScan',
  summary: 'Get a scan',
  description: 'What was uploaded, and for which branch or pull request. Its receipt has the details.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:read',
  method: 'GET',
  path: `${path}/:scanId`,
  params: ScanParams,
  response: Type.Object({ scan: Scan }),
  faults: ['not_found'],
})

export const getReceipt = endpoint({
  id: 'getReceipt',
  summary: 'Get the receipt of a scan',
  description: 'As it was answered to the upload, with the findings that are open by now.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:read',
  method: 'GET',
  path: `${path}/:scanId/receipt`,
  params: ScanParams,
  response: Receipt,
  faults: ['not_found'],
})

export const EndedPullRequest = NamedObject('EndedPullRequest', {
  repository: RepositoryName,
  pullRequest: PullRequest,
  merged: Type.Optional(
    Type.Boolean({ description: 'It was merged; otherwise it was closed without. False by default' }),
  ),
})
export type EndedPullRequest = Static<typeof EndedPullRequest>

export const endPullRequest = endpoint({
  id: 'endPullRequest',
  summary: 'Say that a pull request was closed or merged',
  description:
    'What is open in it becomes TRIAGE_STATE_ENDED and leaves the open counts; what was fixed or ignored stays. Another scan of the pull request opens it again. One that is over, or was never scanned, is left as it is.',
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/scans/v1/deployments/:deploymentId/ended-pull-requests',
  params: DeploymentParams,
  body: EndedPullRequest,
  response: Type.Object({
    endedFindings: Type.Integer({ minimum: 0, description: 'How many findings stood open in it' }),
    known: Type.Boolean({ description: 'Whether there is a scan of it; if not, its number may be wrong' }),
  }),
  faults: ['validation_failed', 'unknown_repository'],
})
