import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { auditRoutes } from './capabilities/audit/routes.ts'
import { createAuditService } from './capabilities/audit/service.ts'
import { automationRoutes } from './capabilities/automations/routes.ts'
import { deadLetterRoutes } from './capabilities/dead-letters/routes.ts'
import { createDeadLetterService } from './capabilities/dead-letters/service.ts'
import { dependencyRoutes } from './capabilities/dependencies/routes.ts'
import { createDependencyService } from './capabilities/dependencies/service.ts'
import { deploymentRoutes } from './capabilities/deployments/routes.ts'
import { createDeploymentService } from './capabilities/deployments/service.ts'
import { findingRoutes } from './capabilities/findings/routes.ts'
import { createFindings } from './capabilities/findings/service.ts'
import { createIssueIngestion } from './capabilities/issues/ingest/ingest.ts'
import { issueRoutes } from './capabilities/issues/routes.ts'
import { createIssueSearch } from './capabilities/issues/search/search.ts'
import { createIssueService } from './capabilities/issues/service.ts'
import { createMemories, memoryEffects } from './capabilities/memories/memories.ts'
import { memoryRoutes } from './capabilities/memories/routes.ts'
import { packageManagerRoutes } from './capabilities/package-managers/routes.ts'
import { createPackageManagerService } from './capabilities/package-managers/service.ts'
import { packageNameRoutes } from './capabilities/package-names/routes.ts'
import { createPackageNameService } from './capabilities/package-names/service.ts'
import { createOwnPassword } from './capabilities/people/own-password.ts'
import { createPeople } from './capabilities/people/people.ts'
import { derivations } from './capabilities/people/public.ts'
import { peopleRoutes } from './capabilities/people/routes.ts'
import { policyRoutes } from './capabilities/policies/routes.ts'
import { createPolicyService, provisionPolicies } from './capabilities/policies/service.ts'
import { reportRoutes } from './capabilities/reports/routes.ts'
import { createReportService } from './capabilities/reports/service.ts'
import { repositoryRoutes } from './capabilities/repositories/routes.ts'
import { createRepositoryService } from './capabilities/repositories/service.ts'
import { ruleboardRoutes } from './capabilities/ruleboards/routes.ts'
import { createRuleboardService, provisionRuleboards } from './capabilities/ruleboards/service.ts'
import { createReadingPool } from './capabilities/scans/reading-pool.ts'
import { scanRoutes } from './capabilities/scans/routes.ts'
import { createScanService } from './capabilities/scans/service.ts'
import { scmAppRoutes } from './capabilities/scm-apps/routes.ts'
import { createScmAppService } from './capabilities/scm-apps/service.ts'
import { createAccessTokens } from './capabilities/sessions/access-token.ts'
import { createAccountRecord } from './capabilities/sessions/account-record.ts'
import { createAttemptLimits } from './capabilities/sessions/attempt-limits.ts'
import { createAuthenticator } from './capabilities/sessions/authenticator.ts'
import { sessionRoutes } from './capabilities/sessions/routes.ts'
import { createSessionService } from './capabilities/sessions/service.ts'
import { createSigningKeys } from './capabilities/sessions/signing-keys.ts'
import { signInUpkeep } from './capabilities/sessions/upkeep.ts'
import { teamRoutes } from './capabilities/teams/routes.ts'
import { createTeamService, provisionTeams } from './capabilities/teams/service.ts'
import { tokenRoutes } from './capabilities/tokens/routes.ts'
import { createTokenService } from './capabilities/tokens/service.ts'
import { composeAdvisories } from './compose-advisories.ts'
import { composeAutomations } from './compose-automations.ts'
import { composeOutward } from './compose-outward.ts'
import { composePackages } from './compose-packages.ts'
import { withReactions } from './domain/event-reactions.ts'
import { createFirstSignIn } from './first-sign-in.ts'
import { createApi } from './http/api.ts'
import { createGracefulServer } from './http/graceful-shutdown.ts'
import { healthRoutes } from './http/health.ts'
import { serveMetrics } from './http/metrics.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { serveDocuments } from './http/reference/documents.ts'
import { serveLinkPages } from './http/reference/link-pages.ts'
import { createServer } from './http/server.ts'
import { createReceiver } from './http/uploads/upload.ts'
import { createJobs, type JobOptions } from './jobs/jobs.ts'
import type { Endpoint } from './kernel/contract/endpoint.ts'
import type { ConnectionOptions } from './kernel/database/connection.ts'
import { createDatabase, type Database } from './kernel/database/database.ts'
import type { JobHandler, Periodic } from './kernel/jobs/job.ts'
import type { Clock } from './kernel/time/clock.ts'
import { createOutbound } from './outbound/client.ts'
import { createMailer } from './outbound/mail/mailer.ts'
import type { Settings } from './settings.ts'
import { createAuditKeys } from './vault/audit-keys.ts'
import { createCursorSeal } from './vault/cursor-seal.ts'
import { createIdempotencyVault } from './vault/idempotency-vault.ts'
import { createKeyRing } from './vault/key-ring.ts'
import { createPermanentKeys, type PermanentKeys } from './vault/permanent-keys.ts'
import { createStoredKeys } from './vault/stored-keys.ts'
import { masterKeyId } from './vault/wrapping.ts'

export type ComposeOptions = {
  settings: Settings
  connection: ConnectionOptions
  masterKey: Buffer
  clock: Clock
  log: Logger
  checkResponses?: boolean
  /** How work in the background is done, where it is not as usual. */
  worker?: JobOptions['worker']
}

/** Everything below the web server: what the CLI works with too. */
export function composeCore({ connection, masterKey, clock }: Omit<ComposeOptions, 'log' | 'settings'>) {
  const auditKeys = createAuditKeys(masterKey, () => db)
  const db: Database = createDatabase(connection, {
    ...createIdempotencyVault((): Buffer => kept.idempotency()),
    auditKeys,
  })
  const ring = createKeyRing({ masterKey, store: createStoredKeys(db, masterKeyId(masterKey)) })
  const kept: PermanentKeys = createPermanentKeys(ring)
  const deployments = createDeploymentService(db, [provisionTeams, provisionRuleboards, provisionPolicies])
  const tokens = createTokenService(db, clock)
  return { db, ring, kept, deployments, tokens }
}

export type Application = ReturnType<typeof compose>

/** The wiring of the whole product, by hand: one look shows what depends on what. */
export function compose(ingredients: ComposeOptions) {
  const { settings, clock, log, connection } = ingredients
  const core = composeCore(ingredients)
  const { db, ring, kept, deployments, tokens } = core

  const signingKeys = createSigningKeys(db, ring)
  const accessTokens = createAccessTokens(signingKeys, clock)
  const authenticator = createAuthenticator(db, accessTokens, clock)
  const limit = createRateLimit({ limit: settings.requestsPerMinute, windowSeconds: 60, clock })

  const outbound = createOutbound({ allow: settings.egressAllow, proxy: settings.brokerUrl })
  const readingPool = createReadingPool((error) => log.error({ err: error }, 'a reader failed'))

  // Capabilities add what they do about jobs, and what they do now and then.
  const handlers: JobHandler[] = []
  const periodic: Periodic[] = []

  const app: FastifyInstance = createServer({
    log,
    trustProxy: settings.trustProxy,
    https: settings.publicUrl.startsWith('https:'),
  })
  app.addHook('onReady', kept.load)
  const door = createGracefulServer(app)
  const served: Endpoint[] = []
  const readiness = { closing: false, ping: db.ping }
  const api = createApi(app, served, {
    authenticate: authenticator.authenticate,
    forget: authenticator.forget,
    limit,
    receiver: createReceiver(join(settings.dataFolder, 'uploads')),
    checkResponses: ingredients.checkResponses ?? false,
  })
  healthRoutes(api, readiness)
  const limits = createAttemptLimits(db, clock)
  const record = createAccountRecord({ db, clock, log })
  sessionRoutes(api, createSessionService({ db, accessTokens, limits, record, clock }), signingKeys)
  periodic.push(...signInUpkeep({ db, record, clock }))
  tokenRoutes(api, tokens)
  deploymentRoutes(api, deployments)
  const mailer = settings.mail && createMailer({ ...settings.mail, allow: settings.egressAllow })
  const people = createPeople({ db, clock, mailer, publicUrl: settings.publicUrl })
  const firstSignIn = createFirstSignIn(settings.dataFolder)
  peopleRoutes(api, {
    ...people,
    ownPassword: createOwnPassword(db, limits, record),
    onPasswordChange: (personId) => firstSignIn.forgetFor(db, personId),
  })
  handlers.push(...people.handlers)
  periodic.push(people.cleaning)
  auditRoutes(api, createAuditService(db))
  repositoryRoutes(api, createRepositoryService(db, memoryEffects.tagging))
  const { publicUrl, identityProviderUrl } = settings
  const outward = composeOutward({ db, ring, outbound, clock, publicUrl, app: settings.chat })
  const cursors = createCursorSeal(kept.cursor)
  const findings = createFindings(db, cursors, memoryEffects)
  const automations = composeAutomations({
    db,
    ring,
    outbound,
    settings,
    mailer,
    findings,
    performers: outward.performers,
  })
  const fire = withReactions(outward.reactions, automations.fire)
  automationRoutes(api, automations.service, automations.trials)
  deadLetterRoutes(api, createDeadLetterService(db))
  handlers.push(...outward.handlers, automations.job)
  periodic.push(...outward.periodic, automations.cleaning, ...findings.periodic)
  findingRoutes(api, findings)
  const memories = createMemories(db)
  memoryRoutes(api, memories)
  handlers.push(...memories.handlers)
  reportRoutes(api, createReportService({ db, clock, cursors }))
  const advisories = composeAdvisories({ db, connection, outbound, clock, log, settings, fire, ...findings })
  const { firewall, vulnerabilities, matching } = advisories
  advisories.serve(api)
  handlers.push(...advisories.handlers)
  scanRoutes(
    api,
    createScanService({
      db,
      pool: readingPool,
      identityKey: kept.findingIdentity,
      findings,
      raiseUnknown: settings.pullRequestsWithoutBase === 'raise',
      matching,
      fire,
    }),
  )
  dependencyRoutes(api, createDependencyService(db))
  teamRoutes(api, createTeamService(db))
  ruleboardRoutes(api, createRuleboardService(db))
  policyRoutes(api, createPolicyService(db))
  issueRoutes(
    api,
    createIssueService(db, fire),
    createIssueIngestion(db, outward.onNewIssues),
    createIssueSearch(db, cursors),
  )
  scmAppRoutes(
    api,
    createScmAppService({
      db,
      ring,
      outbound,
      clock,
      publicUrl,
      identityProviderUrl,
      endPullRequest: findings.endPullRequest,
    }),
  )
  packageManagerRoutes(api, createPackageManagerService(db, ring, settings.mayCarryCredentials))
  packageNameRoutes(api, createPackageNameService(db))
  outward.serve(api)
  const doors = composePackages({ ...core, authenticator, app, api, clock, log, cursors, outbound, settings, firewall })
  periodic.push(...advisories.periodic, doors.ageing)
  const jobs = createJobs({ db, log, handlers, periodic, worker: ingredients.worker })
  serveMetrics(
    app,
    { authenticate: authenticator.authenticate, token: settings.metricsToken },
    {
      database_connections: { help: 'Open database connections', read: () => db.load().readers + db.load().writers },
      database_waiting: {
        help: 'Statements and transactions under way or waiting',
        read: () => db.load().readsWaiting + db.load().writesWaiting,
      },
      password_derivations: { help: 'Passwords derived since the start', read: () => derivations().done },
      password_derivations_waiting: { help: 'Sign-ins that wait for their turn', read: () => derivations().waiting },
    },
    jobs.figures,
  )
  serveDocuments(app, served)
  serveLinkPages(app)

  async function close(): Promise<void> {
    await app.close()
    await jobs.stop()
    await doors.close()
    await firewall.close()
    await outbound.close()
    await readingPool.close()
    await authenticator.close()
    await db.close()
  }

  return {
    ...core,
    app,
    door,
    signingKeys,
    record,
    readiness,
    served,
    jobs,
    firewall,
    vulnerabilities,
    ...doors,
    close,
  }
}
