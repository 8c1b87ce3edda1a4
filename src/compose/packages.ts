import type { Logger } from 'pino'
import { createExceptionCapability } from '../capabilities/firewall/exceptions/exceptions-capability.ts'
import type { createFirewall } from '../capabilities/firewall/firewall.ts'
import { tellRefused } from '../capabilities/firewall/refused-news.ts'
import { verdictRoute } from '../capabilities/firewall/routes.ts'
import { createRecorder } from '../capabilities/firewall-activity/recording/recorder.ts'
import { createRefusalRecord } from '../capabilities/firewall-activity/refusals/refusal-search.ts'
import { createRefusalRollup } from '../capabilities/firewall-activity/refusals/rollup/rollup.ts'
import { createRetention } from '../capabilities/firewall-activity/retention/retention.ts'
import { firewallReportRoutes, refusalRoutes } from '../capabilities/firewall-activity/routes.ts'
import { createFirewallReports } from '../capabilities/firewall-activity/service.ts'
import type { Fire } from '../domain/trigger-event.ts'
import { mountNpmLogin, type NpmLogin } from '../http/registry/npm-login.ts'
import { createRegistryLimits } from '../http/registry/registry-limits.ts'
import { createRegistryMount } from '../http/registry/registry-mount.ts'
import type { Authenticator } from '../kernel/access/identity.ts'
import type { Api } from '../kernel/contract/api.ts'
import type { Database } from '../kernel/database/database.ts'
import type { DiskSpace } from '../kernel/disk/disk-space.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Outbound } from '../outbound/client/client.ts'
import type { Mailer } from '../outbound/mail/mailer.ts'
import { createProxy } from '../proxy/proxy.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../vault/key-ring.ts'

type PackageProxyOptions = {
  db: Database
  ring: KeyRing
  clock: Clock
  log: Logger
  outbound: Outbound
  settings: Settings
  firewall: ReturnType<typeof createFirewall>
  fire: Fire
  mailer: Mailer | undefined
  app: Parameters<typeof createRegistryMount>[0]
  authenticator: { authenticate: Authenticator }
  space: DiskSpace
  cursors: Parameters<typeof createFirewallReports>[0]['cursors']
  login: NpmLogin
}

/** The registry adapters that packages come in through, and the record of who asked for what. */
export function composePackages({ settings, firewall, app, authenticator, log, login, ...given }: PackageProxyOptions) {
  const {
    dataFolder,
    cacheBytes,
    objectStore: bucket,
    firewallDetailDays: detailDays,
    firewallRefusedDays: refusedDays,
    egressAllow,
    mayCarryCredentials,
    packageUpstreams: upstreams,
    goSumdb,
    aws,
  } = settings
  const recorder = createRecorder({
    ...given,
    log,
    dataFolder,
    whenCounted: firewall.whenCounted,
    whenRefused: tellRefused,
  })
  const proxy = createProxy({
    ...given,
    log,
    firewall: { ...firewall, record: recorder.record },
    dataFolder,
    cacheBytes,
    bucket,
    memoryBytes: settings.memoryBytes,
    egressAllow,
    mayCarryCredentials,
    upstreams,
    goSumdb,
    aws,
    time: () => given.clock.now(),
  })
  const exceptions = createExceptionCapability({
    ...given,
    firewall,
    verdictOn: proxy.verdictOn,
    publicationOf: proxy.publicationOf,
    whyClosed: proxy.whyClosed,
    publicUrl: settings.publicUrl,
  })
  const limits = createRegistryLimits({ perMinute: settings.packageRequestsPerMinute, clock: given.clock })
  const mount = createRegistryMount(app, { ...authenticator, publicUrl: settings.givenUrl, limits, log })

  function serve(api: Api): void {
    firewallReportRoutes(api, createFirewallReports(given))
    refusalRoutes(api, createRefusalRecord(given))
    verdictRoute(api, proxy)
    exceptions.serve(api)
    firewall.serveRuleTrial(api, proxy.detailsOf)
    mountNpmLogin(app, { login, publicUrl: settings.givenUrl, limits, log })
    for (const adapter of proxy.fronts) mount(adapter)
  }

  async function close(): Promise<void> {
    await proxy.close()
    await recorder.close()
  }

  const { verdictOn, publicationOf } = proxy
  return {
    recorder,
    verdictOn,
    publicationOf,
    packageCache: proxy.figures,
    upstreamCircuits: proxy.circuits,
    defaultUpstreams: proxy.defaults,
    serve,
    handlers: exceptions.handlers,
    periodic: [
      createRetention({ ...given, detailDays, refusedDays }),
      createRefusalRollup(given),
      ...exceptions.periodic,
    ],
    rejudgeExceptions: exceptions.rejudge,
    exceptions: exceptions.exceptions,
    close,
  }
}
