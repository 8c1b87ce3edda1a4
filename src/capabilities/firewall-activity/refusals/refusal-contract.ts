import Type, { type Static } from 'typebox'
import { registryEcosystemIds } from '../../../ecosystems/ecosystem.ts'
import type { Download } from '../../../kernel/contract/api.ts'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, searchPage } from '../../../kernel/contract/pagination.ts'
import { Count, DeploymentParams, Id, NamedObject, named, OneOf, Timestamp } from '../../../kernel/contract/schema.ts'

const path = '/api/firewall/v1/deployments/:deploymentId/events'
const common = {
  tag: 'Malware firewall',
  stability: 'experimental',
  security: 'both',
  permission: 'firewall:read',
  method: 'POST',
  params: DeploymentParams,
} as const

export const refusalRules = [
  'malicious',
  'denied',
  'held',
  'too_young',
  'unknown_age',
  'no_advisories',
  'missing_feed',
  'old_advisories',
  'rule_hold',
  'rule_refuse',
  'unknown_facts',
  'private_name',
  'unknown',
] as const
const Rule = named(
  'RefusalRule',
  OneOf(
    refusalRules,
    'What decided it: an advisory (malicious, held), an override (denied), the age gate (too_young, unknown_age), a rule of the list (rule_hold, rule_refuse), that the name is private and nobody may be asked for it (private_name), that there was not enough to go by (no_advisories, missing_feed, old_advisories, unknown_facts); unknown for refusals of earlier releases',
  ),
)
const Ecosystem = named('RefusedEcosystem', OneOf(registryEcosystemIds, 'For example npm'))
const text = (description: string) => Type.String({ minLength: 1, maxLength: 400, description })

const RefusalFilter = NamedObject(
  'RefusalFilter',
  {
    ecosystems: Type.Optional(Type.Array(Ecosystem, { maxItems: 20, description: 'Of one of these' })),
    package: Type.Optional(text('Name of the package, or the beginning of names and a star: @scope/*')),
    version: Type.Optional(text('The version as it was asked for; * for what was refused as a whole')),
    rules: Type.Optional(Type.Array(Rule, { maxItems: 20, description: 'Decided by one of these' })),
    advisoryId: Type.Optional(text('The advisory, or override- and the number of an override')),
    personIds: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Of one of these people' })),
    tokenIds: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'With one of these API tokens' })),
    watched: Type.Optional(
      Type.Boolean({ description: 'Only what would have been refused and came in, or only what was refused' }),
    ),
    since: Type.Optional(Timestamp),
    until: Type.Optional(Timestamp),
  },
  { description: 'All that is given has to hold; without any, every refusal' },
)
export type RefusalFilter = Static<typeof RefusalFilter>

const RefusalSearch = NamedObject('RefusalSearch', { filter: Type.Optional(RefusalFilter), ...searchPage })
export type RefusalSearch = Static<typeof RefusalSearch>

const RefusalEvent = NamedObject('RefusalEvent', {
  id: Id,
  at: Timestamp,
  ecosystem: Ecosystem,
  name: Type.String({ description: 'Name of the package, normalised by the rules of its ecosystem' }),
  version: Type.String({ description: 'The version that was asked for; * where the package was refused as a whole' }),
  rule: Rule,
  reason: Type.String({ description: 'Why, as the client was told' }),
  advisoryId: Type.String({ description: 'The advisory, or override- and the number of an override; else empty' }),
  personId: Type.Integer({ minimum: 0, description: 'Whose client it was; 0 once that is forgotten' }),
  personName: Type.String({ description: 'Name of the person; empty where it is not known' }),
  tokenId: Type.Integer({ minimum: 0, description: 'With which API token it came; 0 once that is forgotten' }),
  tokenName: Type.String({ description: 'Name of the token; empty where it is not known' }),
  client: Type.String({ description: 'As the client called itself' }),
  address: Type.String({ description: 'The address that it came from' }),
  watched: Type.Boolean({
    description:
      'It would have been refused, and came in: by a rule that only watches, or while the firewall only watched',
  }),
  count: { ...Count, description: 'How often, in the same millisecond' },
})
export type RefusalEvent = Static<typeof RefusalEvent>

const whose =
  'Owners and admins see all, and so does whoever sees the repository of the clients; others see what their own clients were refused.'

export const searchFirewallEvents = endpoint({
  ...common,
  id: 'searchFirewallEvents',
  summary: 'Search the record of refusals',
  description: `Each refusal of the firewall: who asked for what, with which client and from where, and why it was refused. Newest first. ${whose}`,
  path: `${path}/search`,
  body: RefusalSearch,
  response: Type.Object({ events: Type.Array(RefusalEvent, { description: 'Newest first' }), ...pageFields }),
  faults: ['validation_failed', 'unprocessable'],
})

const RefusedPerson = NamedObject('RefusedPerson', {
  personId: RefusalEvent.properties.personId,
  personName: RefusalEvent.properties.personName,
  isService: Type.Boolean({ description: 'Whether it is a service account' }),
  count: { ...Count, description: 'How often they were refused' },
  versionCount: { ...Count, description: 'How many versions of packages' },
  lastAt: Timestamp,
})
export type RefusedPerson = Static<typeof RefusedPerson>

export const countRefusedPeople = endpoint({
  ...common,
  id: 'countRefusedPeople',
  summary: 'Who is behind a number of refusals',
  description: `People and service accounts by how often the filter matches a refusal of theirs, the most often first, at most 100. ${whose}`,
  path: `${path}/people`,
  body: NamedObject('RefusedPeopleQuestion', { filter: Type.Optional(RefusalFilter) }),
  response: Type.Object({ people: Type.Array(RefusedPerson, { description: 'The most often refused first' }) }),
  faults: ['unprocessable'],
})

export const exportFirewallEvents = endpoint({
  ...common,
  id: 'exportFirewallEvents',
  summary: 'Export the record of refusals',
  description: `All that the filter matches, newest first, one JSON object a line, as the search has them. ${whose}`,
  path: `${path}/export`,
  body: NamedObject('RefusalExport', { filter: Type.Optional(RefusalFilter) }),
  response: Type.Unsafe<Download>({ type: 'object', description: 'Lines of JSON' }),
  download: { mediaTypes: ['application/x-ndjson'] },
  faults: ['unprocessable'],
})
