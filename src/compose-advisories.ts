import type { Logger } from 'pino'
import { createFirewall } from './capabilities/firewall/firewall.ts'
import { firewallRoutes } from './capabilities/firewall/routes.ts'
import { vulnerabilityRoutes } from './capabilities/vulnerabilities/routes.ts'
import { createVulnerabilities, type VulnerabilityIngredients } from './capabilities/vulnerabilities/vulnerabilities.ts'
import type { Api } from './kernel/api.ts'
import type { Settings } from './settings.ts'

type Ingredients = Omit<VulnerabilityIngredients, 'folder'> & { log: Logger; settings: Settings }

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
    handlers: vulnerabilities.handlers,
    periodic: [
      firewall.feeds.refreshing(feeds, feedMinutes),
      ...vulnerabilities.periodic(vulnerabilityFeeds, feedMinutes),
    ],
    serve,
  }
}
