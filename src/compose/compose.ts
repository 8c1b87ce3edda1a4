import { hostname } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import packageJson from '../../package.json' with { type: 'json' }
import { createEvents } from '../capabilities/events/events.ts'
import { idleSince } from '../capabilities/sessions/browser/browser-secret.ts'
import { systemRoutes } from '../capabilities/system/status.ts'
import { buildClientPackage } from '../client-package.ts'
import { createApi } from '../http/api.ts'
import { serveClientLinks } from '../http/client-links.ts'
import { serveClientPackage } from '../http/client-package.ts'
import { type ConsoleBuild, serveConsole } from '../http/console/console.ts'
import { createSessionCookie } from '../http/console/session-cookie.ts'
import { createGracefulServer } from '../http/graceful-shutdown.ts'
import { healthRoutes } from '../http/health.ts'
import { mountMcp } from '../http/mcp/mcp-mount.ts'
import { serveMetrics } from '../http/metrics.ts'
import { servePublishedFiles } from '../http/published-files.ts'
import { serveDocuments } from '../http/reference/documents.ts'
import { serveLinkPages } from '../http/reference/link-pages.ts'
import { createCredentials } from '../http/requests/credentials.ts'
import { createRateLimit } from '../http/requests/rate-limit.ts'
import { mountScim } from '../http/scim/scim-mount.ts'
import { createServer } from '../http/server.ts'
import { createReceiver } from '../http/uploads/upload.ts'
import { uploadLimits } from '../http/uploads/upload-meter.ts'
import { createJobs, type JobOptions } from '../jobs/jobs.ts'
import { createAnnouncing } from '../kernel/changes/announcing.ts'
import type { Endpoint } from '../kernel/contract/endpoint.ts'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { createDiskSpace, type DiskSpaceOptions, said } from '../kernel/disk/disk-space.ts'
import { uploadShare } from '../kernel/memory/memory-shares.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { createTracer } from '../kernel/tracing/tracer.ts'
import { createOutbound } from '../outbound/client/client.ts'
import { createSpanExporter } from '../outbound/otlp/span-exporter.ts'
import { semgrepLinks, semgrepRefusals } from '../protocols/semgrep/links.ts'
import { semgrepProtocol } from '../protocols/semgrep/protocol.ts'
import type { Settings } from '../settings/settings.ts'
import { replicaOf } from '../start/open-database.ts'
import { watchedFolders } from '../start/watched-folders.ts'
import { composeCapabilities } from './capabilities.ts'
import { composeCore } from './core.ts'
import { labelledGauges, plainGauges, replicaCounters, replicaGauges } from './metrics.ts'
import { composeSessions } from './sessions.ts'
import { quickChecks } from './system-checks.ts'

export type ComposeOptions = {
  settings: Settings
  connection: ConnectionOptions
  masterKey: Buffer
  clock: Clock
  log: Logger
  checkResponses?: boolean
  /** How work in the background is done, where it is not as usual. */
  worker?: JobOptions['worker']
  /** The built web console. Where there is none, or it could not be built, `/` says so. */
  console?: Promise<ConsoleBuild> | undefined
  /** How disks are looked at, where it is not as usual. */
  diskSpace?: Pick<DiskSpaceOptions, 'read' | 'lookMs'>
  /** A database that half answers keeps nobody from stopping: what waits for it after that is cut, and again if need be. */
  stopPatienceMs?: number
}

export type Application = ReturnType<typeof compose>

/** The wiring of the whole product, by hand. What depends on what is in `compose-capabilities.ts`. */
export function compose(options: ComposeOptions) {
  const { settings, clock, log, connection } = options
  const core = composeCore({
    ...options,
    newPeopleSee: settings.newPeopleSee,
    connections: settings.databaseConnections,
    readFrom: replicaOf(settings),
  })
  const { db, ring, permanentKeys } = core
  db.replica?.onChange(({ usable, detail }) => log[usable ? 'info' : 'warn'](`the replica for reads: ${detail}`))
  const sessions = composeSessions({ db, ring, clock, log, settings })
  const space = createDiskSpace({
    folders: watchedFolders(settings),
    reserveBytes: settings.diskReserveBytes,
    onChange: (changed) =>
      log[changed.state === 'ok' ? 'info' : 'error']({ freeBytes: changed.freeBytes }, said(changed)),
    ...options.diskSpace,
  })
  // A database elsewhere has a disk of its own.
  if (!settings.databaseUrl) db.requireRoom(space.check)
  const outbound = createOutbound({ allow: settings.egressAllow, proxy: settings.brokerUrl })

  const https = settings.publicUrl.startsWith('https:')
  const exporter = settings.tracing && spanExporter(settings.tracing, log)
  const tracer = createTracer({ record: exporter?.record, ratio: settings.tracing?.ratio })
  const app: FastifyInstance = createServer({ log, trustProxy: settings.trustProxy, https, tracer })
  app.addHook('onReady', permanentKeys.load)
  const gracefulServer = createGracefulServer(app)
  const served: Endpoint[] = []
  const readiness = { closing: false, ping: db.ping }
  const credentials = createCredentials({
    ...sessions.authenticator,
    cookie: createSessionCookie(https),
    signInCookie: createSessionCookie(https, 'gatehouse-sign-in'),
    ownOrigin: settings.givenUrl && new URL(settings.givenUrl).origin,
  })
  const limit = createRateLimit({ limit: settings.requestsPerMinute, windowSeconds: 60, clock })
  const api = createApi(app, served, {
    credentials,
    clock,
    limit,
    receiver: createReceiver(
      join(settings.dataFolder, 'uploads'),
      { ...uploadLimits, ...uploadShare(settings.memoryBytes) },
      space.check,
    ),
    publicUrl: settings.givenUrl,
    checkResponses: options.checkResponses ?? false,
  })

  const { list, ...parts } = composeCapabilities({
    ...core,
    app,
    settings,
    connection,
    clock,
    log,
    outbound,
    sessions,
    space,
  })
  healthRoutes(api, readiness, parts.firewall.hasLooked)
  const announcing = createAnnouncing(db)
  db.onChange(announcing.note)
  const events = createEvents({ db, clock, idleSince, requirement: settings.secondFactor })
  events.serve(api)
  gracefulServer.onClosing(events.close)
  for (const capability of list) capability.serve?.(api)
  const jobs = createJobs({
    db,
    log,
    handlers: list.flatMap(({ handlers }) => handlers ?? []),
    periodic: list.flatMap(({ periodic }) => periodic ?? []),
    worker: options.worker,
    tracer,
  })
  systemRoutes(api, {
    db,
    clock,
    version: packageJson.version,
    malwareFeeds: parts.firewall.feeds,
    vulnerabilityFeeds: parts.vulnerabilities.feeds,
    queue: jobs.figures.all,
    checks: () => quickChecks(db, ring, settings, space.spaces(), parts.defaultUpstreams),
  })
  const measured = {
    db,
    clock,
    circuits: () => [...outbound.circuits(), ...parts.upstreamCircuits()],
    space,
    backsUp: settings.backup.folder !== undefined,
    archivesWal: settings.walArchive.folder !== undefined,
    version: packageJson.version,
    feeds: {
      malware: parts.firewall.feeds,
      vulnerability: parts.vulnerabilities.feeds,
      exploited: parts.vulnerabilities.exploitedFeeds,
      epss: parts.vulnerabilities.epssFeeds,
    },
    spansDropped: () => exporter?.dropped() ?? 0,
  }
  const access = { authenticate: sessions.authenticator.authenticate, token: settings.metricsToken }
  const gauges = { ...plainGauges(measured), ...(db.replica && replicaGauges(db.replica)) }
  serveMetrics(app, access, gauges, {
    ...labelledGauges(measured),
    ...(db.replica && replicaCounters(db.replica)),
    ...jobs.figures.gauges,
    ...parts.recorder.figures,
    ...parts.packageCache,
  })
  mountScim(app, { ...sessions.authenticator, adapter: parts.scim, publicUrl: settings.givenUrl, limit, log })
  mountMcp(app, { ...sessions.authenticator, adapter: parts.mcp, publicUrl: settings.givenUrl, limit, log })
  servePublishedFiles(app, { files: parts.files, credentials, limit })
  const documents = serveDocuments(app, served)
  serveConsole(app, options.console, log)
  serveLinkPages(app)
  serveClientLinks(app, semgrepProtocol, semgrepLinks, semgrepRefusals)
  serveClientPackage(app, { build: buildClientPackage, publicUrl: settings.givenUrl })

  async function close(): Promise<void> {
    const patience = setInterval(db.cut, options.stopPatienceMs ?? 40_000).unref()
    await app.close()
    await jobs.stop()
    for (const capability of list.toReversed()) await capability.close?.()
    await outbound.close()
    await announcing.close()
    await db.close()
    await exporter?.close()
    await space.close()
    clearInterval(patience)
  }

  const { signingKeys, record } = sessions
  const used = { app, gracefulServer, signingKeys, record, readiness, served, documents, jobs, events, space }
  return { ...core, ...used, ...parts, close }
}

function spanExporter({ collector, serviceName }: NonNullable<Settings['tracing']>, log: Logger) {
  const resource = { 'service.name': serviceName, 'service.version': packageJson.version, 'host.name': hostname() }
  return createSpanExporter({ collector, resource, log })
}
