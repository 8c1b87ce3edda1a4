import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import { DeploymentParams, Id, NamedObject, OneOf, RepositoryName, Timestamp } from '../../../kernel/contract/schema.ts'
import { NotCompared } from '../scan.ts'

export const ScannedPullRequest = NamedObject('ScannedPullRequest', {
  repositoryId: Id,
  repository: RepositoryName,
  pullRequest: Type.Integer({ minimum: 1, description: 'Its number' }),
  ref: Type.String({ description: 'Branch it comes from' }),
  baseRef: Type.String({ description: 'Branch it goes to' }),
  commit: Type.String({ description: 'Commit that was scanned last; empty where not known' }),
  blocked: Type.Boolean({ description: 'Whether its last scan was blocked' }),
  notCompared: NotCompared,
  over: Type.Boolean({
    description: 'Whether it is over: merged, closed, or not heard of for long. Another scan of it opens it again',
  }),
  openFindings: Type.Integer({
    minimum: 0,
    description: 'Findings of it that are open, reopened, in review or being fixed',
  }),
  shownFindings: Type.Integer({ minimum: 0, description: 'Of these, those that are shown in the pull request' }),
  scans: Type.Integer({ minimum: 1, description: 'How often it was scanned' }),
  lastScanId: Id,
  lastScanAt: Timestamp,
})
export type ScannedPullRequest = Static<typeof ScannedPullRequest>

export const PullRequestQuery = Type.Object({
  repositoryId: Type.Optional(Id),
  pullRequest: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The pull request of this number' }),
  ),
  blocked: Type.Optional(OneOf(['true', 'false'], 'Only those whose last scan was, or was not, blocked')),
  over: Type.Optional(
    OneOf(['true', 'false'], 'Only those that are, or are not, over: merged, closed, or not heard of for long'),
  ),
  ...pageQuery,
})
export type PullRequestQuery = Static<typeof PullRequestQuery>

export const listPullRequests = endpoint({
  id: 'listPullRequests',
  summary: 'List pull requests that were scanned',
  description: 'Those of repositories the caller sees, the last scanned first, each as its last scan left it.',
  tag: 'Scans',
  stability: 'beta',
  security: 'both',
  permission: 'scans:read',
  method: 'GET',
  path: '/api/scans/v1/deployments/:deploymentId/pull-requests',
  params: DeploymentParams,
  query: PullRequestQuery,
  response: Type.Object({
    pullRequests: Type.Array(ScannedPullRequest, { description: 'A page of pull requests' }),
    ...pageFields,
  }),
  faults: [],
})
