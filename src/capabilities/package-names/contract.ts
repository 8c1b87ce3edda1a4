import Type, { type Static } from 'typebox'
import { type ProxiedEcosystemId, proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'

const path = '/api/firewall/v1/deployments/:deploymentId'
const common = { tag: 'Package names', stability: 'experimental', security: 'both' } as const

export type ClaimedEcosystem = ProxiedEcosystemId
export const claimedEcosystems = proxiedEcosystemIds

export const Ecosystem = named('ClaimedEcosystem', OneOf(proxiedEcosystemIds, 'Whose names they are'))
const Pattern = named(
  'ClaimPattern',
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^[!-~]+$',
    description:
      'A name, or the beginning of names and a star: `company-*`, `@scope/*`. Maven: a group, `com.company.*` with all groups below it, or `group:artifact`. Go: a module path, or `git.company.example/*`',
  }),
)
const Reason = named(
  'ClaimReason',
  Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description: 'Why, for a person' }),
)

const PackageClaim = NamedObject('PackageClaim', {
  id: Id,
  ecosystem: Ecosystem,
  pattern: Pattern,
  packageManagerConfigId: OrNull(
    Type.Integer({ minimum: 1, description: 'The registry that has these names; null where nobody is to be asked' }),
  ),
  registry: OrNull(
    Type.String({ description: 'Origin of that registry; null where there is none, or its entry was deleted' }),
  ),
  reason: Reason,
  createdBy: Type.Integer({ minimum: 0, description: 'Id of the person who claimed them' }),
  createdByName: Type.String({ description: 'Name of that person; empty where it is not known' }),
  createdAt: Timestamp,
})
export type PackageClaim = Static<typeof PackageClaim>

export const NewClaim = NamedObject('NewPackageClaim', {
  ecosystem: Ecosystem,
  pattern: Pattern,
  packageManagerConfigId: Type.Optional(PackageClaim.properties.packageManagerConfigId),
  reason: Reason,
})
export type NewClaim = Static<typeof NewClaim>

export const listPackageClaims = endpoint({
  ...common,
  id: 'listPackageClaims',
  summary: 'List claims of package names',
  description: "The names and patterns that are the deployment's own, ordered by id.",
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/package-claims`,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({ claims: Type.Array(PackageClaim, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})

export const createPackageClaim = endpoint({
  ...common,
  id: 'createPackageClaim',
  summary: 'Claim package names',
  description:
    'They are asked of the named registry and of nobody else; without one, of nobody. Of several claims the one that says most of a name counts. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/package-claims`,
  params: DeploymentParams,
  body: NewClaim,
  response: Type.Object({ claim: PackageClaim }),
  faults: ['conflict', 'unprocessable'],
})

export const deletePackageClaim = endpoint({
  ...common,
  id: 'deletePackageClaim',
  summary: 'Delete a claim of package names',
  description: 'Answers what it was. Names that a registry was seen to have stay with that registry.',
  permission: 'firewall:write',
  method: 'DELETE',
  path: `${path}/package-claims/:packageClaimId`,
  params: Type.Object({ deploymentId: AnyId, packageClaimId: Id }),
  response: Type.Object({ claim: PackageClaim }),
  faults: ['not_found'],
})

const RememberedName = NamedObject('RememberedName', {
  id: Id,
  ecosystem: Ecosystem,
  name: Type.String({ description: 'As it was first asked for' }),
  packageManagerConfigId: Type.Integer({ minimum: 1, description: 'The entry of the registry it was seen in' }),
  registry: Type.String({ description: 'Origin of that registry' }),
  seenAt: Timestamp,
})

export const listPackageNames = endpoint({
  ...common,
  id: 'listPackageNames',
  summary: 'List package names that belong to registries of the deployment',
  description:
    'Every name that one of them was seen to have. Nobody else is asked for these, also after the registry is gone.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/package-names`,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({ names: Type.Array(RememberedName, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})
export type RememberedName = Static<typeof RememberedName>

const Release = NamedObject('NameRelease', {
  ecosystem: Ecosystem,
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 400, description: 'One name; or packageManagerConfigId' }),
  ),
  packageManagerConfigId: Type.Optional(
    Type.Integer({ minimum: 1, description: 'All names of this registry, which may be deleted; or name' }),
  ),
  reason: Reason,
})
export type Release = Static<typeof Release>

export const releasePackageNames = endpoint({
  ...common,
  id: 'releasePackageNames',
  summary: 'Release package names',
  description:
    'Forgets that a name, or every name of a registry, belongs to a registry of the deployment. It is asked for in order again, as if it had never been seen. Felt within ten seconds, everywhere.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/package-names/release`,
  params: DeploymentParams,
  body: Release,
  response: Type.Object({ released: Count }),
  faults: ['not_found', 'unprocessable'],
})
