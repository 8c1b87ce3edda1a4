import type { Static, TSchema } from 'typebox'
import type * as attention from '../../src/capabilities/attention/contract.ts'
import type * as audit from '../../src/capabilities/audit/contract.ts'
import type * as auditStreams from '../../src/capabilities/audit/streams/stream-contract.ts'
import type * as automations from '../../src/capabilities/automations/contract.ts'
import type * as chat from '../../src/capabilities/chat/contract.ts'
import type * as chatSubscriptions from '../../src/capabilities/chat/messages/subscription-contract.ts'
import type * as ciTrusts from '../../src/capabilities/ci-trusts/contract.ts'
import type * as cloudsec from '../../src/capabilities/cloudsec/contract.ts'
import type * as deadLetters from '../../src/capabilities/dead-letters/contract.ts'
import type * as dependencies from '../../src/capabilities/dependencies/contract.ts'
import type * as dependencyExports from '../../src/capabilities/dependencies/export/export-contract.ts'
import type * as packages from '../../src/capabilities/dependencies/packages/package-contract.ts'
import type * as deployments from '../../src/capabilities/deployments/contract.ts'
import type * as deviceSignIn from '../../src/capabilities/device-sign-in/contract.ts'
import type * as discussions from '../../src/capabilities/discussions/contract.ts'
import type * as factors from '../../src/capabilities/factors/contract.ts'
import type * as findings from '../../src/capabilities/findings/contract.ts'
import type * as findingDeadlines from '../../src/capabilities/findings/deadlines/contract.ts'
import type * as exportTickets from '../../src/capabilities/findings/export/ticket-contract.ts'
import type * as findingRules from '../../src/capabilities/findings/rules/contract.ts'
import type * as findingGroups from '../../src/capabilities/findings/search/group-contract.ts'
import type * as firewall from '../../src/capabilities/firewall/contract.ts'
import type * as firewallExceptions from '../../src/capabilities/firewall/exceptions/exception-contract.ts'
import type * as exposures from '../../src/capabilities/firewall/exposure/exposure-contract.ts'
import type * as heldAdvisories from '../../src/capabilities/firewall/overrides/review-contract.ts'
import type * as firewallRules from '../../src/capabilities/firewall/rules/api/rule-contract.ts'
import type * as overrideTrials from '../../src/capabilities/firewall/trial/override-trial-contract.ts'
import type * as settingsTrials from '../../src/capabilities/firewall/trial/settings-trial-contract.ts'
import type * as firewallActivity from '../../src/capabilities/firewall-activity/contract.ts'
import type * as refusals from '../../src/capabilities/firewall-activity/refusals/refusal-contract.ts'
import type * as issues from '../../src/capabilities/issues/contract.ts'
import type * as memories from '../../src/capabilities/memories/contract.ts'
import type * as oauth from '../../src/capabilities/oauth/contract.ts'
import type * as packageManagers from '../../src/capabilities/package-managers/contract.ts'
import type * as claimTrials from '../../src/capabilities/package-names/claim-trial-contract.ts'
import type * as packageNames from '../../src/capabilities/package-names/contract.ts'
import type * as packageWatches from '../../src/capabilities/package-watches/contract.ts'
import type * as people from '../../src/capabilities/people/contract.ts'
import type * as invitations from '../../src/capabilities/people/invitations/invitation-contract.ts'
import type * as resets from '../../src/capabilities/people/resets/reset-contract.ts'
import type * as appliedRules from '../../src/capabilities/policies/applying/applying-contract.ts'
import type * as policies from '../../src/capabilities/policies/contract.ts'
import type * as policyTrials from '../../src/capabilities/policies/trial/trial-contract.ts'
import type * as provisioning from '../../src/capabilities/provisioning/contract.ts'
import type * as pullRequestFeedback from '../../src/capabilities/pull-request-feedback/contract.ts'
import type * as reports from '../../src/capabilities/reports/contract.ts'
import type * as trends from '../../src/capabilities/reports/trends/trend-contract.ts'
import type * as repositories from '../../src/capabilities/repositories/contract.ts'
import type * as repositorySearch from '../../src/capabilities/repositories/search-contract.ts'
import type * as ruleboards from '../../src/capabilities/ruleboards/contract.ts'
import type * as ruleboardTrials from '../../src/capabilities/ruleboards/trial-contract.ts'
import type * as branches from '../../src/capabilities/scans/branches/branch-contract.ts'
import type * as scans from '../../src/capabilities/scans/contract.ts'
import type * as pullRequests from '../../src/capabilities/scans/pull-requests/pull-request-contract.ts'
import type * as scmApps from '../../src/capabilities/scm-apps/contract.ts'
import type * as searching from '../../src/capabilities/search/contract.ts'
import type * as serviceAccounts from '../../src/capabilities/service-accounts/contract.ts'
import type * as browserSessions from '../../src/capabilities/sessions/browser/browser-contract.ts'
import type * as sessions from '../../src/capabilities/sessions/contract.ts'
import type * as ownSessions from '../../src/capabilities/sessions/own/own-contract.ts'
import type * as signInProviders from '../../src/capabilities/sign-in-providers/contract.ts'
import type * as providerSignIn from '../../src/capabilities/sign-in-providers/flow/flow-contract.ts'
import type * as system from '../../src/capabilities/system/contract.ts'
import type * as teamClaims from '../../src/capabilities/teams/claims/claim-contract.ts'
import type * as teams from '../../src/capabilities/teams/contract.ts'
import type * as ticketing from '../../src/capabilities/ticketing/contract.ts'
import type * as tickets from '../../src/capabilities/ticketing/tickets/ticket-contract.ts'
import type * as tokens from '../../src/capabilities/tokens/contract.ts'
import type * as views from '../../src/capabilities/views/contract.ts'
import type * as vulnerabilities from '../../src/capabilities/vulnerabilities/contract.ts'
import type * as vulnerabilitySearch from '../../src/capabilities/vulnerabilities/search/search-contract.ts'
import type * as health from '../../src/http/health-contract.ts'
import type { operations } from './operations.ts'

/** Everything the contracts export; operations are found in it by their id, which is the name of their export. */
type Exported = typeof audit &
  typeof attention &
  typeof health &
  typeof automations &
  typeof chat &
  typeof chatSubscriptions &
  typeof cloudsec &
  typeof deadLetters &
  typeof dependencies &
  typeof dependencyExports &
  typeof packages &
  typeof deployments &
  typeof discussions &
  typeof findings &
  typeof findingDeadlines &
  typeof findingRules &
  typeof findingGroups &
  typeof exportTickets &
  typeof firewall &
  typeof heldAdvisories &
  typeof exposures &
  typeof firewallRules &
  typeof claimTrials &
  typeof firewallActivity &
  typeof firewallExceptions &
  typeof refusals &
  typeof issues &
  typeof memories &
  typeof oauth &
  typeof packageManagers &
  typeof packageNames &
  typeof packageWatches &
  typeof people &
  typeof invitations &
  typeof resets &
  typeof policies &
  typeof appliedRules &
  typeof policyTrials &
  typeof overrideTrials &
  typeof settingsTrials &
  typeof ruleboardTrials &
  typeof reports &
  typeof trends &
  typeof repositories &
  typeof repositorySearch &
  typeof pullRequests &
  typeof branches &
  typeof ruleboards &
  typeof scans &
  typeof scmApps &
  typeof pullRequestFeedback &
  typeof sessions &
  typeof ownSessions &
  typeof browserSessions &
  typeof factors &
  typeof pullRequests &
  typeof branches &
  typeof searching &
  typeof system &
  typeof teams &
  typeof ticketing &
  typeof tickets &
  typeof tokens &
  typeof views &
  typeof serviceAccounts &
  typeof ciTrusts &
  typeof signInProviders &
  typeof providerSignIn &
  typeof provisioning &
  typeof auditStreams &
  typeof deviceSignIn &
  typeof teamClaims &
  typeof vulnerabilities &
  typeof vulnerabilitySearch

export type OperationId = keyof typeof operations & keyof Exported
type Contract<Id extends OperationId> = Exported[Id]

type Part<C, Name extends string> = C extends { [K in Name]: infer S extends TSchema } ? Static<S> : never
type OptionalPart<C, Name extends string> = C extends { [K in Name]?: infer S }
  ? S extends TSchema
    ? Static<S>
    : never
  : never

export type Params<Id extends OperationId> = Part<Contract<Id>, 'params'>
export type Query<Id extends OperationId> = OptionalPart<Contract<Id>, 'query'>
export type Body<Id extends OperationId> = OptionalPart<Contract<Id>, 'body'>
export type Answer<Id extends OperationId> = Part<Contract<Id>, 'response'>

/** What a call takes: the deployment is always the one that is open. */
export type Input<Id extends OperationId> = {
  params?: Partial<Params<Id>>
  query?: Query<Id>
  body?: Body<Id>
}
