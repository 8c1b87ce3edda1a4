import Type from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import { DeploymentParams, Id, OneOf, OrNull, Timestamp } from '../../../kernel/contract/schema.ts'
import { Ecosystem, listFilter, PackageName, PersonName, packageFilter, Version } from '../contract.ts'

export const listExposures = endpoint({
  tag: 'Malware firewall',
  stability: 'experimental',
  security: 'both',
  id: 'listExposures',
  summary: 'List who was given something that turned out to be malicious',
  description:
    'Repositories that have it have findings; this is about clients that fetched it through the firewall. Owners and admins see all, and so does whoever sees the repository of the clients; others see what their own clients were given.',
  permission: 'firewall:read',
  method: 'GET',
  path: '/api/firewall/v1/deployments/:deploymentId/exposures',
  params: DeploymentParams,
  query: Type.Object({
    ...pageQuery,
    ...listFilter,
    ...packageFilter,
    state: Type.Optional(OneOf(['open', 'withdrawn'], 'Only those that stand, or only those taken back')),
  }),
  response: Type.Object({
    exposures: Type.Array(
      Type.Object({
        id: Id,
        ecosystem: Ecosystem,
        name: PackageName,
        version: Version,
        advisoryIds: Type.Array(Type.String(), { description: 'The advisories that name it' }),
        personId: Type.Integer({ minimum: 0, description: 'Whose client it was' }),
        personName: PersonName,
        tokenId: Type.Integer({ minimum: 0, description: 'With which API token it came' }),
        tokenName: Type.String({ description: 'Name of the token; empty where it is not known' }),
        fetchedAt: Timestamp,
        foundAt: Timestamp,
        withdrawnAt: OrNull(Timestamp),
      }),
      { description: 'Ordered by id' },
    ),
    ...pageFields,
  }),
  faults: [],
})
