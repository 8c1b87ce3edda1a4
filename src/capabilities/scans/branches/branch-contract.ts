import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import { DeploymentParams, Id, NamedObject, RepositoryName, Timestamp } from '../../../kernel/contract/schema.ts'

export const ScannedBranch = NamedObject('ScannedBranch', {
  ref: Type.String({ description: 'Its name' }),
  isDefault: Type.Boolean({ description: 'Whether it is the default branch of the repository' }),
  over: Type.Boolean({ description: 'Whether it was deleted, or not scanned for long' }),
  openFindings: Type.Integer({
    minimum: 0,
    description: 'Findings on it that are open, reopened, in review or being fixed',
  }),
  lastScanAt: Timestamp,
})
export type ScannedBranch = Static<typeof ScannedBranch>

export const listBranches = endpoint({
  id: 'listBranches',
  summary: 'List branches of a repository that were scanned for findings',
  description: 'Branches and tags, the newest first. Pull requests are not among them.',
  tag: 'Scans',
  stability: 'beta',
  security: 'both',
  permission: 'scans:read',
  method: 'GET',
  path: '/api/scans/v1/deployments/:deploymentId/branches',
  params: DeploymentParams,
  query: Type.Object({ repositoryId: Id, ...pageQuery }),
  response: Type.Object({
    branches: Type.Array(ScannedBranch, { description: 'A page of branches' }),
    ...pageFields,
  }),
  faults: [],
})

export const EndedBranch = NamedObject('EndedBranch', {
  repository: RepositoryName,
  ref: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The branch that was deleted, as its scans name it; refs/heads/ in front of it is dropped',
  }),
})
export type EndedBranch = Static<typeof EndedBranch>

export const endBranch = endpoint({
  id: 'endBranch',
  summary: 'Say that a branch was deleted',
  description:
    'What stands on it becomes TRIAGE_STATE_ENDED and leaves the open counts; what was fixed or ignored stays. Another scan of the branch opens it again. The default branch cannot end. One that is over, or was never scanned, is left as it is.',
  tag: 'Scans',
  stability: 'beta',
  security: 'both',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/scans/v1/deployments/:deploymentId/ended-branches',
  params: DeploymentParams,
  body: EndedBranch,
  response: Type.Object({
    endedFindings: Type.Integer({ minimum: 0, description: 'How many findings stood on it' }),
  }),
  faults: ['validation_failed', 'unknown_repository', 'forbidden'],
})
