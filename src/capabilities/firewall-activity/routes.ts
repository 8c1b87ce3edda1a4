import type { Api } from '../../kernel/contract/api.ts'
import {
  getActivityByEcosystem,
  getBlockedByAdvisory,
  getBlockedMaliciousDependencies,
  getFirewallSummary,
  getScanActivity,
} from './contract.ts'
import type { FirewallReports } from './service.ts'

export function firewallReportRoutes(api: Api, reports: FirewallReports): void {
  api.serve(getBlockedMaliciousDependencies, ({ actor, body }) => reports.byDependency(actor, body))
  api.serve(getBlockedByAdvisory, ({ actor, body }) => reports.byAdvisory(actor, body))
  api.serve(getScanActivity, ({ actor, body }) => reports.scanActivity(actor, body))
  api.serve(getActivityByEcosystem, ({ actor, body }) => reports.byEcosystem(actor, body))
  api.serve(getFirewallSummary, ({ actor, body }) => reports.summary(actor, body))
}
