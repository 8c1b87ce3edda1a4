import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Count, DeploymentParams, NamedObject, named, OneOf } from '../../kernel/contract/schema.ts'

/** In the order in which they are shown. */
export const attentionKinds = [
  'priorityFindings',
  'overdueFindings',
  'blockedPullRequests',
  'exposures',
  'heldAdvisories',
  'askedExceptions',
  'watchedPackages',
  'suggestedMemories',
  'deadLetters',
  'expiringCertificates',
  'expiringTokens',
  'staleFeeds',
  'revokedTrackers',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

const Kind = named('AttentionKind', OneOf(attentionKinds, 'What waits'))

const AttentionItem = NamedObject('AttentionItem', { kind: Kind, count: Count })
export type AttentionItem = Static<typeof AttentionItem>

export const getAttention = endpoint({
  id: 'getAttention',
  summary: 'What needs a decision, in numbers',
  description:
    'Priority findings; findings that stand longer than their severity allows; pull requests that are blocked and not over; standing exposures; held advisories; exceptions that are asked for; packages with news that the caller watches; suggested memories; dead letters; certificates of DevOps apps that expire within 30 days and API tokens that expire within 14; feeds that have a problem or were not current for 48 hours; trackers that refuse our credentials. Each number counts exactly what the caller would be shown in the list of the same things. A kind that the caller may not list is left out.',
  tag: 'Deployments',
  stability: 'experimental',
  security: 'both',
  permission: 'deployment:read',
  method: 'GET',
  path: '/api/deployments/v1/deployments/:deploymentId/attention',
  params: DeploymentParams,
  response: Type.Object({
    items: Type.Array(AttentionItem, {
      description: 'One for each kind that the caller may list, also where it is zero',
    }),
  }),
  faults: [],
})
