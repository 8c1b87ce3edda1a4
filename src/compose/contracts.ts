import * as attention from '../capabilities/attention/contract.ts'
import * as audit from '../capabilities/audit/contract.ts'
import * as auditStreams from '../capabilities/audit/streams/stream-contract.ts'
import * as automations from '../capabilities/automations/contract.ts'
import * as chat from '../capabilities/chat/contract.ts'
import * as chatSubscriptions from '../capabilities/chat/messages/subscription-contract.ts'
import * as ciTrusts from '../capabilities/ci-trusts/contract.ts'
import * as cloudsec from '../capabilities/cloudsec/contract.ts'
import * as deadLetters from '../capabilities/dead-letters/contract.ts'
import * as dependencies from '../capabilities/dependencies/contract.ts'
import * as dependencyExports from '../capabilities/dependencies/export/export-contract.ts'
import * as packages from '../capabilities/dependencies/packages/package-contract.ts'
import * as deployments from '../capabilities/deployments/contract.ts'
import * as deviceSignIn from '../capabilities/device-sign-in/contract.ts'
import * as discussions from '../capabilities/discussions/contract.ts'
import * as events from '../capabilities/events/contract.ts'
import * as factors from '../capabilities/factors/contract.ts'
import * as findings from '../capabilities/findings/contract.ts'
import * as findingDeadlines from '../capabilities/findings/deadlines/contract.ts'
import * as exportTickets from '../capabilities/findings/export/ticket-contract.ts'
import * as findingRules from '../capabilities/findings/rules/contract.ts'
import * as findingGroups from '../capabilities/findings/search/group-contract.ts'
import * as firewall from '../capabilities/firewall/contract.ts'
import * as firewallExceptions from '../capabilities/firewall/exceptions/exception-contract.ts'
import * as exposures from '../capabilities/firewall/exposure/exposure-contract.ts'
import * as heldAdvisories from '../capabilities/firewall/overrides/review-contract.ts'
import * as firewallRules from '../capabilities/firewall/rules/api/rule-contract.ts'
import * as overrideTrials from '../capabilities/firewall/trial/override-trial-contract.ts'
import * as settingsTrials from '../capabilities/firewall/trial/settings-trial-contract.ts'
import * as firewallActivity from '../capabilities/firewall-activity/contract.ts'
import * as refusals from '../capabilities/firewall-activity/refusals/refusal-contract.ts'
import * as issues from '../capabilities/issues/contract.ts'
import * as memories from '../capabilities/memories/contract.ts'
import * as oauth from '../capabilities/oauth/contract.ts'
import * as packageManagers from '../capabilities/package-managers/contract.ts'
import * as claimTrials from '../capabilities/package-names/claim-trial-contract.ts'
import * as packageNames from '../capabilities/package-names/contract.ts'
import * as packageWatches from '../capabilities/package-watches/contract.ts'
import * as people from '../capabilities/people/contract.ts'
import * as invitations from '../capabilities/people/invitations/invitation-contract.ts'
import * as resets from '../capabilities/people/resets/reset-contract.ts'
import * as appliedRules from '../capabilities/policies/applying/applying-contract.ts'
import * as policies from '../capabilities/policies/contract.ts'
import * as policyTrials from '../capabilities/policies/trial/trial-contract.ts'
import * as provisioning from '../capabilities/provisioning/contract.ts'
import * as pullRequestFeedback from '../capabilities/pull-request-feedback/contract.ts'
import * as reports from '../capabilities/reports/contract.ts'
import * as trends from '../capabilities/reports/trends/trend-contract.ts'
import * as repositories from '../capabilities/repositories/contract.ts'
import * as repositorySearch from '../capabilities/repositories/search-contract.ts'
import * as ruleboards from '../capabilities/ruleboards/contract.ts'
import * as ruleboardTrials from '../capabilities/ruleboards/trial-contract.ts'
import * as branches from '../capabilities/scans/branches/branch-contract.ts'
import * as scans from '../capabilities/scans/contract.ts'
import * as pullRequests from '../capabilities/scans/pull-requests/pull-request-contract.ts'
import * as scmApps from '../capabilities/scm-apps/contract.ts'
import * as searching from '../capabilities/search/contract.ts'
import * as serviceAccounts from '../capabilities/service-accounts/contract.ts'
import * as browserSessions from '../capabilities/sessions/browser/browser-contract.ts'
import * as sessions from '../capabilities/sessions/contract.ts'
import * as ownSessions from '../capabilities/sessions/own/own-contract.ts'
import * as signInProviders from '../capabilities/sign-in-providers/contract.ts'
import * as providerSignIn from '../capabilities/sign-in-providers/flow/flow-contract.ts'
import * as system from '../capabilities/system/contract.ts'
import * as teamClaims from '../capabilities/teams/claims/claim-contract.ts'
import * as teams from '../capabilities/teams/contract.ts'
import * as ticketing from '../capabilities/ticketing/contract.ts'
import * as tickets from '../capabilities/ticketing/tickets/ticket-contract.ts'
import * as tokens from '../capabilities/tokens/contract.ts'
import * as views from '../capabilities/views/contract.ts'
import * as vulnerabilities from '../capabilities/vulnerabilities/contract.ts'
import * as vulnerabilitySearch from '../capabilities/vulnerabilities/search/search-contract.ts'
import * as health from '../http/health-contract.ts'
import type { Endpoint } from '../kernel/contract/endpoint.ts'
import * as defectDojo from '../protocols/defectdojo/contract.ts'
import * as dependencyTrack from '../protocols/dependency-track/contract.ts'
import * as gitHub from '../protocols/github/contract.ts'
import * as osv from '../protocols/osv/contract.ts'
import * as semgrep from '../protocols/semgrep/contract.ts'

const modules = [
  sessions,
  browserSessions,
  ownSessions,
  providerSignIn,
  signInProviders,
  factors,
  tokens,
  serviceAccounts,
  ciTrusts,
  deviceSignIn,
  deployments,
  attention,
  events,
  searching,
  people,
  invitations,
  resets,
  provisioning,
  audit,
  auditStreams,
  repositories,
  repositorySearch,
  scans,
  pullRequests,
  branches,
  semgrep,
  dependencies,
  dependencyExports,
  packages,
  packageWatches,
  vulnerabilities,
  vulnerabilitySearch,
  teams,
  teamClaims,
  ruleboards,
  ruleboardTrials,
  policies,
  appliedRules,
  policyTrials,
  scmApps,
  pullRequestFeedback,
  oauth,
  packageManagers,
  packageNames,
  claimTrials,
  memories,
  chat,
  chatSubscriptions,
  cloudsec,
  ticketing,
  tickets,
  discussions,
  views,
  findings,
  findingDeadlines,
  findingRules,
  findingGroups,
  exportTickets,
  issues,
  firewall,
  heldAdvisories,
  exposures,
  firewallExceptions,
  firewallRules,
  overrideTrials,
  settingsTrials,
  firewallActivity,
  refusals,
  osv,
  automations,
  deadLetters,
  reports,
  system,
  trends,
  defectDojo,
  gitHub,
  health,
  dependencyTrack,
]

/** Every endpoint there is, without its implementation: what documents and tests are made from. */
export const contracts: Endpoint[] = modules.flatMap((module) => Object.values(module).filter(isEndpoint))

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value
}
