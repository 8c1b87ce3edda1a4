import Type, { type Static } from 'typebox'
import { registryEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { CodeArtifactCredentials, Login, NpmCredentials } from './credential-shapes.ts'

const path = '/api/agent/deployments/:deploymentId/packagemanagerauthconfigs'

/** Known on the wire; the last three name package managers that have no versions of their own to compare. */
const ecosystemNames = [...registryEcosystemIds, 'mix', 'opam', 'no_package_manager'] as const
export type EcosystemName = (typeof ecosystemNames)[number]
const registryTypes = ['REGISTRY_TYPE_PACKAGE_MANAGER_AUTH', 'REGISTRY_TYPE_MALWARE_FIREWALL'] as const
export type RegistryType = (typeof registryTypes)[number]
const repositoryTypes = [
  'MAVEN_REPOSITORY_TYPE_UNSPECIFIED',
  'MAVEN_REPOSITORY_TYPE_RELEASE',
  'MAVEN_REPOSITORY_TYPE_SNAPSHOT',
  'MAVEN_REPOSITORY_TYPE_BOTH',
] as const
export type RepositoryType = (typeof repositoryTypes)[number]

const RegistryUrl = named(
  'RegistryUrl',
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'Address of the registry: http or https, without user name, password, query and fragment. For the malware firewall a host name; `*.` before it means all below it',
  }),
)
const RequiresAuth = named(
  'RequiresAuth',
  Type.Boolean({
    description: 'Whether the registry asks for credentials. Sent as false it drops the stored ones',
  }),
)
const EcosystemField = named(
  'PackageManagerEcosystem',
  OneOf(['', ...ecosystemNames], 'Whose packages it serves; empty for the malware firewall'),
)
const UseNetworkBroker = named(
  'UseNetworkBroker',
  Type.Boolean({ description: 'Whether it is reached through the network broker' }),
)
const RegistryTypeField = named(
  'RegistryType',
  OneOf(registryTypes, 'What the entry is for: credentials of a registry, or a host the malware firewall lets through'),
)
const MavenRepositoryType = named(
  'MavenRepositoryType',
  OneOf(repositoryTypes, 'Which Maven artifacts it serves; unspecified where it is not Maven'),
)
const NpmScope = named(
  'NpmScope',
  OrNull(
    Type.String({
      maxLength: 214,
      pattern: '^@?[A-Za-z0-9_~-][A-Za-z0-9._~-]*$',
      description: 'The npm scope it serves; null for all of them',
    }),
  ),
)

export const PackageManagerConfig = VersionedObject('PackageManagerConfig', {
  id: Id,
  name: Name,
  url: RegistryUrl,
  requiresAuth: RequiresAuth,
  ecosystem: EcosystemField,
  deploymentId: Id,
  useNetworkBroker: UseNetworkBroker,
  additionalConfig: Type.Object({
    maven: Type.Object({ repositoryType: MavenRepositoryType }),
    pypi: Type.Object({}),
    npm: Type.Object({ scope: NpmScope }),
  }),
  registryType: RegistryTypeField,
})
export type PackageManagerConfig = Static<typeof PackageManagerConfig>

const optionalFields = {
  deploymentId: Type.Optional(Id),
  requiresAuth: Type.Optional(RequiresAuth),
  ecosystem: Type.Optional(EcosystemField),
  useNetworkBroker: Type.Optional(UseNetworkBroker),
  additionalConfig: Type.Optional(
    Type.Object({
      maven: Type.Optional(Type.Object({ repositoryType: Type.Optional(MavenRepositoryType) })),
      pypi: Type.Optional(Type.Object({})),
      npm: Type.Optional(Type.Object({ scope: Type.Optional(NpmScope) })),
    }),
  ),
  registryType: Type.Optional(RegistryTypeField),
}

const ConfigChanges = NamedObject('PackageManagerConfigChanges', {
  ...optionalFields,
  id: Type.Optional(Id),
  name: Type.Optional(Name),
  url: Type.Optional(RegistryUrl),
})
const NewConfig = NamedObject('NewPackageManagerConfig', {
  ...optionalFields,
  id: Type.Optional(Type.Integer({ minimum: 0, maximum: 0, description: 'Given by the server; leave it out' })),
  name: Name,
  url: RegistryUrl,
})

const credentials = {
  maven: Type.Optional(Login),
  pypi: Type.Optional(Login),
  codeArtifact: Type.Optional(CodeArtifactCredentials),
  npm: Type.Optional(NpmCredentials),
}

const ForUpdate = NamedObject('PackageManagerConfigForUpdate', { config: Type.Optional(ConfigChanges), ...credentials })
const ForInsert = NamedObject('PackageManagerConfigForInsert', { config: NewConfig, ...credentials })
/** What E1 changes, or what a new entry is made of. */
export type PackageManagerConfigForInsert = Static<typeof ForUpdate>
export type NewPackageManagerConfig = Static<typeof ForInsert>

const SealedCredentials = NamedObject(
  'SealedCredentials',
  {
    nonce: Type.String({ description: 'Base64, 12 bytes' }),
    ciphertext: Type.String({ description: 'Base64; AES-256-GCM over the JSON the credentials were sent as' }),
    tag: Type.String({ description: 'Base64, 16 bytes' }),
    keyVersion: Type.String({ description: "Which of the deployment's keys opens it" }),
  },
  { description: 'Null where none are stored' },
)

const ConfigParams = Type.Object({ deploymentId: AnyId, packageManagerConfigId: Id })
const OneConfig = NamedObject('OnePackageManagerConfig', { packageManagerConfig: PackageManagerConfig })
const common = { tag: 'Package managers', stability: 'experimental', security: 'both' } as const

export const updatePackageManagerConfig = endpoint({
  ...common,
  id: 'updatePackageManagerConfig',
  summary: 'Update a package manager config',
  description:
    'What is left out stays. Credentials are replaced as a whole and must fit the ecosystem. A `url` of another scheme, host or port takes the credentials along only if they are sent again in the same request; otherwise 422 and nothing is changed.',
  permission: 'package-managers:write',
  method: 'PATCH',
  path: `${path}/:packageManagerConfigId`,
  params: ConfigParams,
  body: Type.Object({
    deploymentId: Type.Optional(Id),
    packageManagerConfigId: Type.Optional(Id),
    packageManagerConfigForInsert: ForUpdate,
  }),
  response: OneConfig,
  faults: ['not_found', 'id_mismatch', 'unprocessable', 'precondition_failed'],
})

export const listPackageManagerConfigs = endpoint({
  ...common,
  id: 'listPackageManagerConfigs',
  summary: 'List package manager configs',
  description:
    "All of the deployment, oldest first, with their credentials sealed under the deployment's key. docs/decrypting-credentials.md shows how a scan agent opens them.",
  permission: 'package-managers:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({
    packageManagerConfigsWithCredentials: Type.Array(
      Type.Object({ config: PackageManagerConfig, credentials: OrNull(SealedCredentials) }),
      { description: 'Ordered by id' },
    ),
  }),
  faults: [],
  answersSecret: true,
})

export const createPackageManagerConfig = endpoint({
  ...common,
  id: 'createPackageManagerConfig',
  summary: 'Create a package manager config',
  description: 'With one kind of credentials, fitting its ecosystem, or none.',
  permission: 'package-managers:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: Type.Object({ deploymentId: Type.Optional(Id), packageManagerConfigForInsert: ForInsert }),
  response: OneConfig,
  faults: ['id_mismatch', 'unprocessable'],
})

export const getPackageManagerConfig = endpoint({
  ...common,
  id: 'getPackageManagerConfig',
  summary: 'Get a package manager config',
  description: 'Without its credentials, which only the list answers, encrypted.',
  permission: 'package-managers:read',
  method: 'GET',
  path: `${path}/:packageManagerConfigId`,
  params: ConfigParams,
  response: OneConfig,
  faults: ['not_found'],
  answersSecret: true,
})

export const deletePackageManagerConfig = endpoint({
  ...common,
  id: 'deletePackageManagerConfig',
  summary: 'Delete a package manager config',
  description: 'Its credentials go with it. Answers what it was.',
  permission: 'package-managers:write',
  method: 'DELETE',
  path: `${path}/:packageManagerConfigId`,
  params: ConfigParams,
  response: OneConfig,
  faults: ['not_found', 'precondition_failed'],
})
