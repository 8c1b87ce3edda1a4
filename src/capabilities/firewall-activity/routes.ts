import type { Api } from '../../kernel/contract/api.ts'
import {
  getActivityByEcosystem,
  getBlockedByAdvisory,
  getBlockedMaliciousDependencies,
  getFirewallSummary,
  getScanActivity,
} from './contract.ts'
import { countRefusedPeople, exportFirewallEvents, searchFirewallEvents } from './refusals/refusal-contract.ts'
import type { RefusalRecord } from './refusals/refusal-search.ts'
import type { FirewallReports } from './service.ts'

export function refusalRoutes(api: Api, record: RefusalRecord): void {
  api.serve(searchFirewallEvents, ({ actor, body }) => record.search(actor, body))
  api.serve(countRefusedPeople, ({ actor, body }) => record.people(actor, body.filter))
  api.serve(exportFirewallEvents, ({ actor, body }) => record.exportAll(actor, body.filter))
}

export function firewallReportRoutes(api: Api, reports: FirewallReports): void {
  api.serve(getBlockedMaliciousDependencies, ({ actor, body }) => reports.byDependency(actor, body))
  api.serve(getBlockedByAdvisory, ({ actor, body }) => reports.byAdvisory(actor, body))
  api.serve(getScanActivity, ({ actor, body }) => reports.scanActivity(actor, body))
  api.serve(getActivityByEcosystem, ({ actor, body }) => reports.byEcosystem(actor, body))
  api.serve(getFirewallSummary, ({ actor, body }) => reports.summary(actor, body))
}
