import Type, { type Static } from 'typebox'
import { endpoint } from '../../../../kernel/contract/endpoint.ts'
import {
  Count,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  Timestamp,
  VersionedObject,
} from '../../../../kernel/contract/schema.ts'
import { signalNames } from '../release-facts.ts'
import { conditionKinds, ruleEcosystems, ruleEffects, ruleSeverities } from '../rule.ts'

const path = '/api/firewall/v1/deployments/:deploymentId/rules'
const common = { tag: 'Malware firewall', stability: 'experimental', security: 'both' } as const

const Ecosystem = named('RuleEcosystem', OneOf(ruleEcosystems, 'An ecosystem whose packages come through the firewall'))
const Hours = (description: string) => Type.Integer({ minimum: 1, maximum: 8760, description })

const ruleFields = {
  ecosystems: Type.Array(Ecosystem, { minItems: 1, maxItems: 10, description: 'What it is about' }),
  names: Type.Array(Type.String({ minLength: 1, maxLength: 400, description: 'A name or a pattern: @scope/*' }), {
    maxItems: 1000,
    description: 'Packages, written as in overrides; none for every package',
  }),
  condition: OneOf(
    conditionKinds,
    'When it holds: always; while a version is younger than hours; if the release shows one of signals; if an advisory of severity names the version; by its licence; if it is deprecated or yanked; if it runs code when it is installed; if it depends on git, a URL or a file; if its name is nearly one that you or many others use',
  ),
  hours: Type.Optional(Hours('Of younger_than')),
  signals: Type.Optional(
    Type.Array(OneOf(signalNames, 'Something unusual about a release'), {
      minItems: 1,
      maxItems: 20,
      description: 'Of release_signal: one of these is enough',
    }),
  ),
  severity: Type.Optional(OneOf(ruleSeverities, 'Of vulnerability: this or higher')),
  fixAvailable: Type.Optional(Type.Boolean({ description: 'Of vulnerability: only where a fixed version is known' })),
  exploited: Type.Optional(Type.Boolean({ description: 'Of vulnerability: only where it is known to be exploited' })),
  licences: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100, description: 'An SPDX identifier' }), {
      minItems: 1,
      maxItems: 200,
      description: 'Of licence',
    }),
  ),
  licencesAre: Type.Optional(
    OneOf(['listed', 'not_listed'], 'Of licence: it holds where the licence is one of these, or none of these'),
  ),
  effect: OneOf(
    ruleEffects,
    'Let it in, whatever later rules and the minimum age say; let it in with a warning; refuse it until holdHours after its publication; refuse it',
  ),
  holdHours: Type.Optional(Hours('Of hold: how long from its publication; 72 where it is left out')),
  spareInUse: Type.Optional(
    Type.Boolean({
      description:
        'Of hold and refuse: leave versions alone that the firewall gave to a client before, and for refuse also those that repositories have, so that builds with lockfiles go on',
    }),
  ),
  mode: OneOf(['enforce', 'monitor'], 'Monitor: nothing is refused, and what would have been is on record'),
  note: Type.String({ maxLength: 500, description: 'For whoever is refused: why, and what to do; may be empty' }),
}

const NewRule = NamedObject('NewFirewallRule', {
  id: Type.Optional({ ...Id, description: 'Of a rule that stays; a new one gets its number' }),
  ...ruleFields,
})
export type NewRule = Static<typeof NewRule>

const ShownRule = NamedObject('FirewallRule', {
  id: { ...Id, description: 'Its number, which stays when the order changes' },
  ...ruleFields,
  sentence: Type.String({ description: 'The rule as a sentence' }),
})
export type ShownRule = Static<typeof ShownRule>

const FixedRule = NamedObject('FirewallFixedRule', {
  kind: OneOf(
    ['overrides', 'malicious', 'held_advisories', 'undetermined', 'minimum_age', 'private_names'],
    'What else decides: it is changed elsewhere',
  ),
  place: OneOf(['before', 'after'], 'Whether it comes before the rules or after them'),
  sentence: Type.String({ description: 'What it does, as a sentence' }),
})
export type FixedRule = Static<typeof FixedRule>

const RuleList = VersionedObject('FirewallRuleList', {
  mode: OneOf(
    ['enforce', 'monitor'],
    'Monitor: the whole firewall lets everything in but known malware and what people denied, and notes what it would have refused',
  ),
  rules: Type.Array(ShownRule, {
    description: 'In their order: the first that lets a version in or keeps it out decides; warnings add up',
  }),
  fixed: Type.Array(FixedRule, { description: 'What else decides, in its order' }),
})
export type RuleListAnswer = Static<typeof RuleList>

const RuleListBody = NamedObject('FirewallRuleListChange', {
  mode: RuleList.properties.mode,
  rules: Type.Array(NewRule, { maxItems: 200, description: 'All rules, in their order' }),
})
export type RuleListBody = Static<typeof RuleListBody>

export const getFirewallRules = endpoint({
  ...common,
  id: 'getFirewallRules',
  summary: 'The list of rules of the firewall',
  description:
    'In the order in which they decide, with what decides before and after them. Send its ETag as If-Match with a change.',
  permission: 'firewall:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: RuleList,
  faults: [],
})

export const putFirewallRules = endpoint({
  ...common,
  id: 'putFirewallRules',
  summary: 'Replace the list of rules of the firewall',
  description:
    'The whole list, in its order. A rule that the packages of an ecosystem cannot be judged by is 422. Known malware is refused before any rule. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'PUT',
  path,
  params: DeploymentParams,
  body: RuleListBody,
  response: RuleList,
  faults: ['unprocessable', 'precondition_failed'],
})

export const getRecommendedFirewallRules = endpoint({
  ...common,
  id: 'getRecommendedFirewallRules',
  summary: 'Rules to begin with',
  description: 'A list that can be sent back as it is, first in monitor mode. Nothing of it is in force by itself.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/recommended`,
  params: DeploymentParams,
  response: Type.Object({ rules: Type.Array(ShownRule, { description: 'In their order' }) }),
  faults: [],
})

const TrialChange = NamedObject('FirewallRuleTrialChange', {
  ecosystem: Ecosystem,
  name: Type.String({ description: 'Name of the package' }),
  version: Type.String({ description: 'The version that was asked for' }),
  refused: Type.Boolean({ description: 'Whether it would have been refused; if not, it is refused as things are' }),
  reason: Type.String({ description: 'Why' }),
  ruleId: Type.Integer({ minimum: 0, description: 'The rule that decides; 0 where it is none of the list' }),
  clients: { ...Count, description: 'How many clients asked for it: each person with each API token' },
  people: Type.Array(Type.String(), {
    maxItems: 10,
    description: 'Whose clients they were, as far as you may see that; at most ten',
  }),
  lastAskedAt: Timestamp,
})

export const RuleTrial = NamedObject('FirewallRuleTrial', {
  since: Timestamp,
  sentences: Type.Array(Type.String(), { description: 'What was tried, as sentences' }),
  versions: { ...Count, description: 'Versions that clients asked for since then; at most the latest 2,000' },
  truncated: Type.Boolean({ description: 'Whether clients asked for more' }),
  refusedBefore: { ...Count, description: 'Those of them that are refused as things are' },
  refusedAfter: { ...Count, description: 'Those that would be refused' },
  unknown: {
    ...Count,
    description:
      'Those that nothing can be said about, because their registry did not answer in time. They are in neither number',
  },
  changes: Type.Array(TrialChange, { maxItems: 200, description: 'What would be otherwise, the latest first' }),
})
export type RuleTrial = Static<typeof RuleTrial>

export const tryFirewallRules = endpoint({
  ...common,
  id: 'tryFirewallRules',
  summary: 'What other rules would have done',
  description:
    'Looks at the versions that clients asked for in the last days, each as old as it was at the first request for it in that time: which are refused now, which would be, and whose clients asked for them. Rules that only watch, and a list in monitor mode, are tried as if they were enforced. Where a rule asks for more than is in memory, registries are asked, for at most 20 seconds. Nothing is saved.',
  permission: 'firewall:read',
  method: 'POST',
  path: `${path}/trial`,
  params: DeploymentParams,
  body: Type.Object({
    rules: RuleListBody.properties.rules,
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'How far back; 30 by default' })),
  }),
  response: RuleTrial,
  faults: ['unprocessable'],
})
