import type { Api } from '../../kernel/contract/api.ts'
import {
  countFindings,
  exportFindings,
  getFinding,
  listFindingHistory,
  searchFindings,
  triageFinding,
  triageFindings,
} from './contract.ts'
import { getFindingDeadlines, replaceFindingDeadlines } from './deadlines/contract.ts'
import { downloadExport, prepareExport } from './export/ticket-contract.ts'
import { getFindingRule } from './rules/contract.ts'
import { facetFindings, groupFindings } from './search/group-contract.ts'
import type { Findings } from './service.ts'

export function findingRoutes(api: Api, findings: Findings): void {
  api.serve(searchFindings, ({ actor, body }) => findings.search(actor, body))
  api.serve(countFindings, ({ actor, body }) => findings.count(actor, body.filter ?? {}))
  api.serve(facetFindings, ({ actor, body }) => findings.facets(actor, body))
  api.serve(groupFindings, ({ actor, body }) => findings.groups(actor, body))
  api.serve(getFinding, ({ actor, params }) => findings.get(actor, params.findingId))
  api.serve(triageFinding, async ({ actor, params, body }) => ({
    data: await findings.triage(actor, params.findingId, body),
  }))
  api.serve(triageFindings, ({ actor, body }) => findings.triageMany(actor, body))
  api.serve(listFindingHistory, ({ actor, params, query }) => findings.history(actor, params.findingId, query))
  api.serve(getFindingRule, ({ actor, params }) => findings.rule(actor, params.ruleId))
  api.serve(getFindingDeadlines, ({ actor }) => findings.deadlines(actor))
  api.serve(replaceFindingDeadlines, ({ actor, body }) => findings.setDeadlines(actor, body))
  api.serve(prepareExport, ({ actor, body }) => findings.prepareExport(actor, body))
  api.serve(downloadExport, ({ actor, params }) => findings.downloadExport(actor, params.exportTicket))
  api.serve(exportFindings, ({ actor, body }) => findings.exportAs(actor, body))
}
