import type { Logger } from 'pino'
import { createFirewall, type FirewallDependencies } from '../capabilities/firewall/firewall.ts'
import { firewallRoutes } from '../capabilities/firewall/routes.ts'
import type { Matched, Matching } from '../capabilities/vulnerabilities/matching/matching.ts'
import { vulnerabilityRoutes } from '../capabilities/vulnerabilities/routes.ts'
import {
  createVulnerabilities,
  type VulnerabilityDependencies,
} from '../capabilities/vulnerabilities/vulnerabilities.ts'
import { feedLocationName } from '../feeds/feed-location.ts'
import type { Api } from '../kernel/contract/api.ts'
import type { Transaction } from '../kernel/database/database.ts'
import { inStep } from '../kernel/database/in-step.ts'
import type { Settings } from '../settings/settings.ts'

type AdvisoryOptions = Omit<
  VulnerabilityDependencies & FirewallDependencies,
  'folder' | 'reserveBytes' | 'configured' | 'registryHosts' | 'publicUrl'
> & {
  log: Logger
  settings: Settings
}

/** What is known about packages from outside: which are malicious, and which are vulnerable. */
export function composeAdvisories({ settings, ...given }: AdvisoryOptions) {
  const { feeds, vulnerabilityFeeds: advisories, exploitedFeeds: exploited, epssFeeds: epss } = settings
  const { feedMinutes, dataFolder: folder, diskReserveBytes: reserveBytes } = settings
  const configured = feeds.map(feedLocationName)
  const { publicUrl } = settings
  const firewall = createFirewall({
    ...given,
    folder,
    reserveBytes,
    configured,
    registryHosts: registryHosts(settings),
    publicUrl,
  })
  const vulnerabilities = createVulnerabilities({ ...given, folder, reserveBytes })

  function serve(api: Api): void {
    firewallRoutes(api, firewall.service)
    firewall.serveTrial(api)
    firewall.serveRules(api)
    vulnerabilityRoutes(api, vulnerabilities.service)
  }

  return {
    firewall,
    vulnerabilities,
    matching: both(firewall.malware, vulnerabilities.matching),
    handlers: [...vulnerabilities.handlers, ...firewall.exposure.handlers],
    periodic: [
      firewall.exposure.periodic,
      firewall.snapshots,
      firewall.feeds.refreshing(feeds, feedMinutes),
      ...vulnerabilities.periodic({ advisories, exploited, epss }, feedMinutes),
    ],
    serve,
    close: firewall.close,
  }
}

/** Where packages come from by the operator's word, and our own address, by which clients know what came through us. */
function registryHosts({ packageUpstreams, publicUrl }: Settings): string[] {
  const addresses = [publicUrl, ...Object.values(packageUpstreams)]
  return addresses.flatMap((address) => (address ? [new URL(address).host] : []))
}

/** What a scan brings is compared with both kinds of advisories. */
function both(malware: Matching, vulnerable: Matching): Matching {
  async function matched(
    tx: Transaction,
    match: (one: Matching, tx: Transaction) => Promise<Matched>,
  ): Promise<Matched> {
    const all = await inStep(tx, [(tx) => match(malware, tx), (tx) => match(vulnerable, tx)])
    return { newIds: all.flatMap(({ newIds }) => newIds), fixed: all.reduce((sum, { fixed }) => sum + fixed, 0) }
  }
  return {
    inventory: (tx, ...scan) => matched(tx, (one, tx) => one.inventory(tx, ...scan)),
    pullRequest: (tx, ...scan) => matched(tx, (one, tx) => one.pullRequest(tx, ...scan)),
  }
}
