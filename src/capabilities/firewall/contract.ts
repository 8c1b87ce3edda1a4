import Type, { type Static } from 'typebox'
import { type EcosystemId, proxiedEcosystemIds, registryEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { ShownFeed } from '../../feeds/shown-feed.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  IdParameter,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { verdictRules } from './verdicts/verdict.ts'

const path = '/api/firewall/v1/deployments/:deploymentId'
const common = { tag: 'Malware firewall', stability: 'experimental', security: 'both' } as const

/** Those with a registry: packages of distributions come another way. */
export const Ecosystem = named(
  'RegistryEcosystem',
  Type.Unsafe<EcosystemId>(OneOf(registryEcosystemIds, 'For example npm')),
)
const ProxiedEcosystem = named(
  'ProxiedEcosystem',
  Type.Unsafe<EcosystemId>(OneOf(proxiedEcosystemIds, 'Those whose packages come through the firewall')),
)
export const PackageName = named(
  'PackageName',
  Type.String({ minLength: 1, maxLength: 400, pattern: '\\S', description: 'Name of the package' }),
)
export const Version = named(
  'PackageVersion',
  Type.String({ maxLength: 200, description: 'A version; empty for every version' }),
)
export const OverrideReason = named(
  'OverrideReason',
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '\\S',
    description: 'Why; shown to whoever is refused',
  }),
)

export const RefusalRule = named(
  'VerdictRule',
  OneOf(
    verdictRules,
    'What decided it: an override (allowed, denied), an advisory (malicious, held), the age gate (too_young, unknown_age), a rule of the list (rule_allow, rule_hold, rule_refuse), that the name is private and nobody may be asked for it (private_name), or that there is not enough to go by (no_advisories, missing_feed, old_advisories, unknown_facts)',
  ),
)

const WatchedRefusal = NamedObject('WatchedRefusal', {
  rule: RefusalRule,
  reason: Type.String({ description: 'Why it would have been refused' }),
})

export const Verdict = NamedObject('Verdict', {
  decision: OneOf(
    ['allow', 'block', 'held', 'undetermined'],
    'What is known; held: an advisory names it that a person of the deployment has to decide about',
  ),
  refuse: Type.Boolean({ description: 'Whether a client that asks for it is refused' }),
  rule: RefusalRule,
  reason: Type.String({ description: 'Why, for a person' }),
  advisoryIds: Type.Array(Type.String(), { description: 'The advisories that name it' }),
  dataAgeSeconds: OrNull(Type.Integer({ description: 'How long ago the advisories were last seen to be current' })),
  ruleId: Type.Integer({ minimum: 0, description: 'The rule of the list that decided it; 0 where none did' }),
  warnings: Type.Array(Type.String(), { description: 'What rules that only warn say of it' }),
  watched: Type.Union([WatchedRefusal, Type.Null()], {
    description: 'What would have refused it, if it did more than watch; null where nothing would have',
  }),
})

const Availability = NamedObject(
  'PackageAvailability',
  {
    state: OneOf(
      ['available', 'missing', 'unknown'],
      'Whether the registries that a client would get it from have the version; unknown: they could not be asked',
    ),
    detail: Type.String({ description: 'Why it cannot be had, for a person; empty where it can' }),
  },
  { description: 'Of what is let through, where it is asked for' },
)
export type Availability = Static<typeof Availability>

const AskedVerdict = NamedObject('AskedVerdict', {
  ...Verdict.properties,
  availability: Type.Optional(Availability),
})

export const getVerdict = endpoint({
  ...common,
  id: 'getVerdict',
  summary: 'Ask for the verdict on a version of a package',
  description:
    'What the firewall would answer a client, by the same decision: where it hangs on when the version was published, and publishedAt is not given, its registry is asked as for a client. A verdict says whether a version may pass, not whether there is such a version: availability=ask says that too, of what is let through. Nothing is recorded.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/verdict`,
  params: DeploymentParams,
  query: Type.Object({
    ecosystem: Ecosystem,
    name: PackageName,
    version: Type.String({ minLength: 1, maxLength: 200, description: 'The version' }),
    publishedAt: Type.Optional(Timestamp),
    availability: Type.Optional(
      OneOf(
        ['ask'],
        'Also ask the registries whether they have what is let through; of packages that come through here',
      ),
    ),
  }),
  response: AskedVerdict,
  faults: [],
})

export const getFirewallState = endpoint({
  ...common,
  id: 'getFirewallState',
  summary: 'Where the advisories come from and how old they are',
  description: 'For each feed, whether it is in use and how old it is; and what the operator should do, if anything.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/state`,
  params: DeploymentParams,
  response: Type.Object({
    ready: Type.Boolean({
      description: 'Whether every feed has come in; if not, what no advisory names is undetermined',
    }),
    advice: Type.String({ description: 'What the operator should do; empty where all is well' }),
    packages: Count,
    dataAgeSeconds: OrNull(Type.Integer({ description: 'How long ago the advisories were last seen to be current' })),
    feeds: Type.Array(ShownFeed, { description: 'In the order in which they were added' }),
  }),
  faults: [],
})
export type FirewallState = Static<typeof getFirewallState.response>

const OverrideName = named(
  'OverrideName',
  Type.String({
    minLength: 1,
    maxLength: 400,
    pattern: '\\S',
    description:
      'Name of the package, or the beginning of names and a star: @scope/*, company-*. For Maven also a group, com.company, and a group with all below it, com.company.*',
  }),
)
const OverrideVersions = named(
  'OverrideVersions',
  Type.String({
    maxLength: 200,
    description:
      'A version, or a range in the order of the ecosystem: <4.17.21, >=2.0.0 <2.3.1 || 3.0.0, for Maven and NuGet also [1.0,2.0). Empty for every version',
  }),
)
export const listFilter = {
  package: Type.Optional(
    Type.String({ maxLength: 400, description: 'Only where the name has this in it, in any case' }),
  ),
  personId: Type.Optional(IdParameter),
}
export const packageFilter = {
  ecosystem: Type.Optional(Ecosystem),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Only what is about this package, by the spelling rules of its ecosystem, which has to be given too',
    }),
  ),
}
export const PersonName = named(
  'PersonName',
  Type.String({ description: 'Name of the person; empty where it is not known' }),
)

const Override = NamedObject('Override', {
  id: Id,
  ecosystem: Ecosystem,
  name: OverrideName,
  version: OverrideVersions,
  effect: OneOf(['allow', 'deny'], 'Let it through whatever is said about it, or refuse it'),
  reason: OverrideReason,
  createdBy: Type.Integer({ minimum: 0, description: 'Id of the person who decided it' }),
  createdByName: PersonName,
  createdAt: Timestamp,
  expiresAt: OrNull(Timestamp),
})
export type Override = Static<typeof Override>

export const NewOverride = NamedObject('NewOverride', {
  ecosystem: Ecosystem,
  name: OverrideName,
  version: Type.Optional(OverrideVersions),
  effect: Override.properties.effect,
  reason: OverrideReason,
  expiresAt: Type.Optional(OrNull(Timestamp)),
})
export type NewOverride = Static<typeof NewOverride>

export type ListFilter = {
  package?: string
  ecosystem?: EcosystemId
  name?: string
  personId?: number
  state?: string
}

export const listOverrides = endpoint({
  ...common,
  id: 'listOverrides',
  summary: 'List overrides of the malware firewall',
  description:
    'Expired ones too; they have no effect any more. Those about a package are its own and those whose pattern covers its name.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/overrides`,
  params: DeploymentParams,
  query: Type.Object({
    ...pageQuery,
    ...listFilter,
    ...packageFilter,
    state: Type.Optional(OneOf(['in_force', 'expired'], 'Only those in force, or only those that have run out')),
  }),
  response: Type.Object({ overrides: Type.Array(Override, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})

export const createOverride = endpoint({
  ...common,
  id: 'createOverride',
  summary: 'Allow or deny a package',
  description:
    'Outranks the advisories. Of several, the one that says most of the name counts, then the one that says most of the version; between two that say as much, deny wins. What cannot be understood is 422. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/overrides`,
  params: DeploymentParams,
  body: NewOverride,
  response: Type.Object({ override: Override }),
  faults: ['conflict', 'unprocessable'],
})

export const deleteOverride = endpoint({
  ...common,
  id: 'deleteOverride',
  summary: 'Delete an override',
  description: 'Answers what it was.',
  permission: 'firewall:write',
  method: 'DELETE',
  path: `${path}/overrides/:overrideId`,
  params: Type.Object({ deploymentId: AnyId, overrideId: Id }),
  response: Type.Object({ override: Override }),
  faults: ['not_found'],
})

const Hours = (description: string) => Type.Integer({ minimum: 0, maximum: 8760, description })

const ChoiceFields = {
  undetermined: OneOf(['block', 'warn'], 'What happens to a package of which nothing can be said; block by default'),
  minimumAgeHours: Hours('Versions younger than this are held back; 0, the default, holds none back'),
  ageExceptions: Type.Array(PackageName, {
    maxItems: 1000,
    description:
      'Packages that may be younger, written as in overrides: a * at the end stands for any rest, as in @scope/*',
  }),
  maximumDataAgeHours: Hours(
    'When the advisories have not been current for longer than this, packages are undetermined; 0, the default, for no limit',
  ),
}
const LaterFields = {
  held: OneOf(
    ['block', 'warn'],
    'What happens to a version while the advisory that names it waits for a person; block by default',
  ),
  mirrorHosts: Type.Array(
    Type.String({
      maxLength: 260,
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$',
      description: 'A host, in lower case, with its port where that is not the usual one',
    }),
    {
      maxItems: 100,
      description:
        'Hosts that serve what the public registry has: a package from there is the one that advisories mean',
    },
  ),
}
const Choices = VersionedObject('FirewallSettings', { ecosystem: ProxiedEcosystem, ...ChoiceFields, ...LaterFields })
export type Choices = Static<typeof Choices>

export const ChoicesBody = NamedObject('FirewallSettingsChange', {
  ecosystem: ProxiedEcosystem,
  ...ChoiceFields,
  held: Type.Optional(LaterFields.held),
  mirrorHosts: Type.Optional(LaterFields.mirrorHosts),
})
export type ChoicesBody = Static<typeof ChoicesBody>

export const getFirewallSettings = endpoint({
  ...common,
  id: 'getFirewallSettings',
  summary: 'What the deployment chose for each ecosystem',
  description:
    'One entry for each ecosystem whose packages come through the firewall; where nothing was chosen, what holds by default.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/settings`,
  params: DeploymentParams,
  response: Type.Object({ settings: Type.Array(Choices, { description: 'One for each ecosystem' }) }),
  faults: [],
})

export const getEcosystemSettings = endpoint({
  ...common,
  id: 'getEcosystemSettings',
  summary: 'What the deployment chose for an ecosystem',
  description: 'The defaults, if nothing was chosen. Send its ETag as If-Match with a change.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/settings/:ecosystem`,
  params: Type.Object({ deploymentId: AnyId, ecosystem: ProxiedEcosystem }),
  response: Choices,
  faults: [],
})

export const putFirewallSettings = endpoint({
  ...common,
  id: 'putFirewallSettings',
  summary: 'Choose for an ecosystem',
  description:
    'Replaces what was chosen for it; what is left out is as by default. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'PUT',
  path: `${path}/settings`,
  params: DeploymentParams,
  body: ChoicesBody,
  response: Choices,
  faults: ['unprocessable', 'precondition_failed'],
})
