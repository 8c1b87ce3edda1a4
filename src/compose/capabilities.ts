import type { Logger } from 'pino'
import { createAuditRetention } from '../capabilities/audit/retention.ts'
import { auditRoutes } from '../capabilities/audit/routes.ts'
import { createAuditService } from '../capabilities/audit/service.ts'
import { createAuditStreams } from '../capabilities/audit/streams/streams.ts'
import { automationRoutes } from '../capabilities/automations/routes.ts'
import { createExchange } from '../capabilities/ci-trusts/exchange/exchange.ts'
import { createIssuerKeys } from '../capabilities/ci-trusts/exchange/issuer-keys.ts'
import { ciTrustRoutes } from '../capabilities/ci-trusts/routes.ts'
import { createCiTrusts } from '../capabilities/ci-trusts/service.ts'
import { deadLetterRoutes } from '../capabilities/dead-letters/routes.ts'
import { createDeadLetterService } from '../capabilities/dead-letters/service.ts'
import { packageRoutes } from '../capabilities/dependencies/packages/package-routes.ts'
import { createPackageService } from '../capabilities/dependencies/packages/packages.ts'
import { dependencyRoutes } from '../capabilities/dependencies/routes.ts'
import { createDependencyService } from '../capabilities/dependencies/service.ts'
import { deploymentRoutes } from '../capabilities/deployments/routes.ts'
import { createRegistryLogin } from '../capabilities/device-sign-in/registry-login.ts'
import { deviceSignInRoutes } from '../capabilities/device-sign-in/routes.ts'
import { createDeviceSignIns } from '../capabilities/device-sign-in/service.ts'
import { discussionRoutes } from '../capabilities/discussions/routes.ts'
import { createDiscussions } from '../capabilities/discussions/service.ts'
import { noticeMails } from '../capabilities/factors/notices.ts'
import { removeFactorsSince } from '../capabilities/factors/reset.ts'
import { recordedInPullRequests } from '../capabilities/findings/public.ts'
import { findingRoutes } from '../capabilities/findings/routes.ts'
import { createFindings } from '../capabilities/findings/service.ts'
import { createFirewallUse } from '../capabilities/firewall-activity/firewall-use.ts'
import { createLicenceCounting, createUseCounting } from '../capabilities/inventory/public.ts'
import { createIssueIngestion } from '../capabilities/issues/ingest/ingest.ts'
import { issueRoutes } from '../capabilities/issues/routes.ts'
import { createIssueSearch } from '../capabilities/issues/search/search.ts'
import { createIssueService } from '../capabilities/issues/service.ts'
import { createMemories, memoryEffects } from '../capabilities/memories/memories.ts'
import { memoryRoutes } from '../capabilities/memories/routes.ts'
import { createOAuth } from '../capabilities/oauth/oauth.ts'
import { packageManagerRoutes } from '../capabilities/package-managers/routes.ts'
import { createPackageManagerService } from '../capabilities/package-managers/service.ts'
import { claimTrialRoutes } from '../capabilities/package-names/claim-trial.ts'
import { packageNameRoutes } from '../capabilities/package-names/routes.ts'
import { createPackageNameService } from '../capabilities/package-names/service.ts'
import { packageWatchRoutes } from '../capabilities/package-watches/routes.ts'
import { createPackageWatches } from '../capabilities/package-watches/service.ts'
import { createOwnPassword } from '../capabilities/people/passwords/own-password.ts'
import { createPeople } from '../capabilities/people/people.ts'
import { peopleRoutes } from '../capabilities/people/routes.ts'
import { appliedRulesRoutes } from '../capabilities/policies/applying/applying.ts'
import { policyRoutes } from '../capabilities/policies/routes.ts'
import { createPolicyService } from '../capabilities/policies/service.ts'
import { policyTrialRoutes } from '../capabilities/policies/trial/trial.ts'
import { createProvisioning } from '../capabilities/provisioning/provisioning.ts'
import { settleJoined } from '../capabilities/provisioning/public.ts'
import { provisioningRoutes } from '../capabilities/provisioning/routes.ts'
import { createPullRequestFeedback } from '../capabilities/pull-request-feedback/feedback.ts'
import { reportRoutes } from '../capabilities/reports/routes.ts'
import { createReportService } from '../capabilities/reports/service.ts'
import { repositoryRoutes } from '../capabilities/repositories/routes.ts'
import { createRepositorySearch, repositorySearchRoutes } from '../capabilities/repositories/search.ts'
import { createRepositoryService } from '../capabilities/repositories/service.ts'
import { ruleboardRoutes } from '../capabilities/ruleboards/routes.ts'
import { createRuleboardService } from '../capabilities/ruleboards/service.ts'
import { branchRoutes } from '../capabilities/scans/branches/branches.ts'
import { pullRequestRoutes } from '../capabilities/scans/pull-requests/pull-requests.ts'
import { createReadingPool, readingLimits } from '../capabilities/scans/reading/reading-pool.ts'
import { createScanRetention } from '../capabilities/scans/retention.ts'
import { scanRoutes } from '../capabilities/scans/routes.ts'
import { createScanService } from '../capabilities/scans/service.ts'
import { scmAppRoutes } from '../capabilities/scm-apps/routes.ts'
import { createScmAppService } from '../capabilities/scm-apps/service.ts'
import { searchRoutes } from '../capabilities/search/search.ts'
import { serviceAccountRoutes } from '../capabilities/service-accounts/routes.ts'
import { createServiceAccounts } from '../capabilities/service-accounts/service.ts'
import { createProviderCapability } from '../capabilities/sign-in-providers/sign-in-providers.ts'
import { createTeamClaims } from '../capabilities/teams/claims/claims.ts'
import { teamRoutes } from '../capabilities/teams/routes.ts'
import { createTeamService } from '../capabilities/teams/service.ts'
import { createTokenReminders } from '../capabilities/tokens/reminders/reminders.ts'
import { tokenRoutes } from '../capabilities/tokens/routes.ts'
import { viewRoutes } from '../capabilities/views/routes.ts'
import { createViews } from '../capabilities/views/service.ts'
import { createVulnerabilitySearch, vulnerabilitySearchRoutes } from '../capabilities/vulnerabilities/search/search.ts'
import type { Capability } from '../domain/capability.ts'
import { withReactions } from '../domain/event-reactions.ts'
import { firewallAddress } from '../formats/registry-references/registry-references.ts'
import type { Actor } from '../kernel/access/actor.ts'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { createIdempotencyRetention } from '../kernel/database/idempotency-retention.ts'
import type { DiskSpace } from '../kernel/disk/disk-space.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Outbound } from '../outbound/client/client.ts'
import { createMailer } from '../outbound/mail/mailer.ts'
import { createSyslog } from '../outbound/syslog/syslog.ts'
import type { Settings } from '../settings/settings.ts'
import { createFirstSignIn } from '../start/first-sign-in.ts'
import { createCursorSeal } from '../vault/cursor-seal.ts'
import { composeAdvisories } from './advisories.ts'
import { composeAttention } from './attention.ts'
import { composeAutomations } from './automations.ts'
import type { Core } from './core.ts'
import { composeIntegrations } from './integrations.ts'
import { composePackages } from './packages.ts'
import { composeProtocols } from './protocols.ts'
import type { Sessions } from './sessions.ts'

type Parts = Core & {
  app: Parameters<typeof composePackages>[0]['app']
  settings: Settings
  connection: ConnectionOptions
  clock: Clock
  log: Logger
  outbound: Outbound
  sessions: Sessions
  space: DiskSpace
}

/** Every capability, with everything that it depends on by name. */
export function composeCapabilities(parts: Parts) {
  const {
    db,
    ring,
    permanentKeys,
    deployments,
    tokens,
    app,
    settings,
    connection,
    clock,
    log,
    outbound,
    sessions,
    space,
  } = parts
  const { publicUrl, identityProviderUrl, dataFolder } = settings
  const { limits, record, authenticator, proven } = sessions
  const cursors = createCursorSeal(permanentKeys.cursor)
  const mailer = settings.mail && createMailer({ ...settings.mail, allow: settings.egressAllow })

  const devices = createDeviceSignIns({ db, clock, limits, publicUrl })
  const firstSignIn = createFirstSignIn(dataFolder)
  const people = createPeople({ db, clock, mailer, publicUrl, limits, onJoin: settleJoined, removeFactorsSince })
  const provisioning = createProvisioning({ db, clock, publicUrl, inviting: people.invitations })
  const syslog = settings.auditSyslog && createSyslog({ server: settings.auditSyslog, allow: settings.egressAllow })
  const auditStreams = createAuditStreams({ db, ring, outbound, clock, publicUrl, log, syslog })
  const findings = createFindings(db, cursors, memoryEffects, settings)
  const memories = createMemories(db)
  const integrations = composeIntegrations({ db, ring, outbound, clock, publicUrl, app: settings.chat })
  const { performers } = integrations
  const reminders = createTokenReminders({ db, clock, publicUrl, mailer, tellChannels: integrations.tellOfTokens })
  const automations = composeAutomations({ db, ring, outbound, settings, mailer, findings, performers })
  const { endPullRequest, endBranch } = findings
  const feedback = createPullRequestFeedback({ db, ring, outbound, clock, publicUrl, endPullRequest, endBranch })
  const fire = withReactions([...integrations.reactions, feedback.react], automations.fire)
  const advisories = composeAdvisories({ db, connection, outbound, clock, log, settings, fire, ...findings })
  const { firewall, vulnerabilities, matching } = advisories
  const onFailure = (error: unknown) => log.error({ err: error }, 'a reader failed')
  const pool = createReadingPool(onFailure, readingLimits(settings.memoryBytes))
  const identityKey = permanentKeys.findingIdentity
  const login = createRegistryLogin({ ...sessions.service, devices, authenticate: authenticator.authenticate, tokens })
  const packaging = { db, ring, clock, log, outbound, settings, firewall, app, authenticator, cursors, login, space }
  const packages = composePackages({ ...packaging, fire, mailer })

  const raiseUnknown = settings.pullRequestsWithoutBase === 'raise'
  const firewallUse = {
    address: firewallAddress(new URL(publicUrl)),
    isUsed: createFirewallUse({ db, clock }),
  }
  const scans = createScanService({
    db,
    pool,
    identityKey,
    findings,
    raiseUnknown,
    matching,
    fire,
    firewall: firewallUse,
  })
  const repositories = createRepositoryService(db, memoryEffects.tagging, findings.followDefaultBranch)
  const offered = { deployments, findings, advisories, packages, scans, repositories }
  const protocols = composeProtocols({ db, clock, cursors, settings, ...offered })
  const issues = createIssueService(db, fire)
  const ingestion = createIssueIngestion(db, integrations.onNewIssues)
  const issueSearch = createIssueSearch(db, cursors)
  const reports = createReportService({ db, clock, cursors })
  const ends = { endPullRequest, endBranch }
  const apps = createScmAppService({ db, ring, outbound, clock, publicUrl, identityProviderUrl, ...ends })
  const watches = createPackageWatches(db, firewall)
  const feeds = [firewall.feeds, vulnerabilities.feeds, vulnerabilities.exploitedFeeds, vulnerabilities.epssFeeds]
  const { trackers } = integrations
  const findFindings = async (actor: Actor, text: string) => {
    const wanted = /^[0-9]{1,15}$/.test(text) ? { findingIds: [text] } : { text }
    const { findings: found } = await findings.search(actor, { filter: wanted, pageSize: 5 })
    return found.map(({ id, title, repository }) => ({ id, label: title, detail: repository }))
  }
  const passwords = {
    ownPassword: createOwnPassword(db, limits, record),
    onPasswordChange: (personId: number) => firstSignIn.forgetFor(db, personId),
  }

  const list: Capability[] = [
    { periodic: [createIdempotencyRetention(db)] },
    { ...sessions, handlers: noticeMails(db, mailer, publicUrl) },
    { serve: (api) => tokenRoutes(api, tokens), handlers: reminders.handlers, periodic: reminders.periodic },
    {
      serve: (api) =>
        ciTrustRoutes(
          api,
          createCiTrusts(db),
          createExchange({ db, clock, log, keys: createIssuerKeys(outbound, clock) }),
        ),
    },
    { serve: (api) => deviceSignInRoutes(api, devices) },
    createOAuth({ db, clock, limits, seal: cursors }),
    { serve: (api) => serviceAccountRoutes(api, createServiceAccounts(db, clock)) },
    createProviderCapability({ db, ring, outbound, clock, log, publicUrl, openSession: proven.open }),
    { serve: (api) => deploymentRoutes(api, deployments) },
    {
      serve: (api) => peopleRoutes(api, { ...people, ...passwords }),
      handlers: people.handlers,
      periodic: [people.cleaning],
    },
    { serve: (api) => provisioningRoutes(api, provisioning.settings) },
    {
      serve: (api) => auditRoutes(api, createAuditService(db), auditStreams),
      handlers: auditStreams.handlers,
      periodic: [
        ...auditStreams.periodic,
        createAuditRetention({ db, clock, log, days: settings.auditDays, pushesSyslog: !!syslog }),
      ],
    },
    { serve: (api) => repositoryRoutes(api, repositories) },
    { serve: (api) => repositorySearchRoutes(api, createRepositorySearch(db, cursors)) },
    {
      serve: (api) => automationRoutes(api, automations.service, automations.trials),
      handlers: [automations.job],
      periodic: [automations.cleaning],
    },
    { serve: (api) => deadLetterRoutes(api, createDeadLetterService(db)) },
    { serve: (api) => findingRoutes(api, findings), periodic: findings.periodic },
    { serve: (api) => discussionRoutes(api, createDiscussions(db)) },
    { serve: (api) => viewRoutes(api, createViews(db)) },
    { serve: (api) => memoryRoutes(api, memories), handlers: memories.handlers },
    { serve: (api) => reportRoutes(api, reports) },
    advisories,
    {
      serve: (api) => scanRoutes(api, scans),
      periodic: [createScanRetention({ db, clock, days: settings.scanDays })],
      close: pool.close,
    },
    { serve: (api) => pullRequestRoutes(api, db) },
    { serve: (api) => branchRoutes(api, db, findings.endBranch) },
    {
      serve: (api) => dependencyRoutes(api, createDependencyService(db)),
      periodic: [createLicenceCounting(db), createUseCounting(db)],
    },
    { serve: (api) => vulnerabilitySearchRoutes(api, createVulnerabilitySearch(db, cursors)) },
    { serve: (api) => packageRoutes(api, createPackageService(db, cursors, firewall)) },
    { serve: (api) => teamRoutes(api, createTeamService(db), createTeamClaims(db)) },
    { serve: (api) => ruleboardRoutes(api, createRuleboardService(db)) },
    { serve: (api) => policyRoutes(api, createPolicyService(db)) },
    { serve: (api) => appliedRulesRoutes(api, db) },
    { serve: (api) => policyTrialRoutes(api, { db, clock, recordedSince: recordedInPullRequests }) },
    { serve: (api) => issueRoutes(api, issues, ingestion, issueSearch) },
    { serve: (api) => scmAppRoutes(api, apps) },
    feedback,
    {
      serve: (api) => packageManagerRoutes(api, createPackageManagerService(db, ring, settings.mayCarryCredentials)),
    },
    { serve: (api) => packageNameRoutes(api, createPackageNameService(db)) },
    { serve: (api) => claimTrialRoutes(api, { db, clock }) },
    { serve: (api) => searchRoutes(api, db, findFindings) },
    { serve: (api) => packageWatchRoutes(api, watches) },
    composeAttention({ db, findings, reports, apps, tokens, trackers, watches, feeds }),
    integrations,
    packages,
    ...protocols.list,
  ]
  return {
    list,
    scans,
    firewall,
    vulnerabilities,
    scim: provisioning.adapter,
    mcp: protocols.mcp,
    files: protocols.files,
    pushAudit: auditStreams.enqueueDue,
    recorder: packages.recorder,
    packageCache: packages.packageCache,
    upstreamCircuits: packages.upstreamCircuits,
    defaultUpstreams: packages.defaultUpstreams,
    remind: reminders.remind,
    rejudgeExceptions: packages.rejudgeExceptions,
  }
}
