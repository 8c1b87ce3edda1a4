import type { Api } from '../../kernel/contract/api.ts'
import {
  listFunnelFindings,
  listGuardrailsFindings,
  reportActivity,
  reportBacklog,
  reportFunnel,
  reportGuardrailsActivity,
} from './contract.ts'
import type { ReportService } from './service.ts'
import { reportTrends } from './trends/trend-contract.ts'

export function reportRoutes(api: Api, reports: ReportService): void {
  api.serve(reportGuardrailsActivity, ({ actor, body }) => reports.guardrailsActivity(actor, body.filters ?? {}))
  api.serve(reportFunnel, ({ actor, body }) => reports.funnel(actor, body.filters ?? {}))
  api.serve(reportActivity, ({ actor, body }) => reports.activity(actor, body.filters ?? {}, body.once))
  api.serve(reportBacklog, ({ actor, body }) => reports.backlog(actor, body.filters ?? {}))
  api.serve(reportTrends, ({ actor, body }) => reports.trends(actor, body.filters ?? {}, body.by))
  api.serve(listGuardrailsFindings, ({ actor, body }) => reports.behindGuardrails(actor, body))
  api.serve(listFunnelFindings, ({ actor, body }) => reports.behindFunnel(actor, body))
}
