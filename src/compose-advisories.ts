import type { Logger } from 'pino'
import { createFirewall, type FirewallIngredients } from './capabilities/firewall/firewall.ts'
import { firewallRoutes } from './capabilities/firewall/routes.ts'
import type { Matching } from './capabilities/vulnerabilities/matching.ts'
import { vulnerabilityRoutes } from './capabilities/vulnerabilities/routes.ts'
import { createVulnerabilities, type VulnerabilityIngredients } from './capabilities/vulnerabilities/vulnerabilities.ts'
import type { Api } from './kernel/api.ts'
import type { Settings } from './settings.ts'

type Ingredients = Omit<VulnerabilityIngredients & FirewallIngredients, 'folder'> & { log: Logger; settings: Settings }

/** What is known about packages from outside: which are malicious, and which are vulnerable. */
export function composeAdvisories({ settings, ...given }: Ingredients) {
  const { feeds, vulnerabilityFeeds, feedMinutes, dataFolder: folder } = settings
  const firewall = createFirewall({ ...given, folder })
  const vulnerabilities = createVulnerabilities({ ...given, folder })

  function serve(api: Api): void {
    firewallRoutes(api, firewall.service)
    vulnerabilityRoutes(api, vulnerabilities.service)
  }

  return {
    firewall,
    vulnerabilities,
    matching: both(firewall.malware, vulnerabilities.matching),
    handlers: [...vulnerabilities.handlers, ...firewall.exposure.handlers],
    periodic: [
      firewall.exposure.periodic,
      firewall.feeds.refreshing(feeds, feedMinutes),
      ...vulnerabilities.periodic(vulnerabilityFeeds, feedMinutes),
    ],
    serve,
  }
}

/** What a scan brings is held against both kinds of advisories. */
function both(malware: Matching, vulnerable: Matching): Matching {
  return {
    inventory: async (...scan) => [...(await malware.inventory(...scan)), ...(await vulnerable.inventory(...scan))],
    pullRequest: async (...scan) => [
      ...(await malware.pullRequest(...scan)),
      ...(await vulnerable.pullRequest(...scan)),
    ],
  }
}
