import { actsAsOperator } from '../../kernel/access/identity.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { getVulnerability, getVulnerabilityFeeds, listVulnerabilities, listVulnerableRepositories } from './contract.ts'
import type { VulnerabilityService } from './service.ts'

export function vulnerabilityRoutes(api: Api, vulnerabilities: VulnerabilityService): void {
  api.serve(listVulnerabilities, ({ actor, query }) => vulnerabilities.list(actor, query))
  api.serve(getVulnerability, async ({ actor, params }) => ({
    vulnerability: await vulnerabilities.get(actor, params.vulnerabilityId),
  }))
  api.serve(listVulnerableRepositories, ({ actor, params, query }) =>
    vulnerabilities.repositories(actor, params.vulnerabilityId, query),
  )
  api.serve(getVulnerabilityFeeds, ({ caller }) => vulnerabilities.feeds(actsAsOperator(caller)))
}
