import type { Api } from '../../kernel/contract/api.ts'
import type { describeCaller } from './caller.ts'
import * as contract from './contract.ts'
import type { SemgrepRules } from './rules.ts'
import type { SemgrepRuns } from './runs.ts'

export function semgrepRoutes(
  api: Api,
  runs: SemgrepRuns,
  rules: SemgrepRules,
  caller: ReturnType<typeof describeCaller>,
): void {
  api.serve(contract.getSemgrepDeployment, ({ actor }) => caller.deployment(actor))
  api.serve(contract.getSemgrepIdentity, ({ actor }) => caller.identity(actor))
  api.serve(contract.createSemgrepScan, ({ actor, body }) => runs.create(actor, body))
  api.serve(contract.getSemgrepScanConfig, ({ actor, params }) => runs.getConfig(actor, params.scanRequestId))
  api.serve(contract.createSemgrepScanWithConfig, ({ actor, body }) => runs.createWithConfig(actor, body))
  api.serve(contract.sendSemgrepResults, ({ actor, params, files }) =>
    runs.results(actor, params.semgrepScanId, files[0]!),
  )
  api.serve(contract.completeSemgrepScan, ({ actor, params, files }) =>
    runs.complete(actor, params.semgrepScanId, files[0]!),
  )
  api.serve(contract.failSemgrepScan, ({ actor, params, body }) =>
    runs.fail(actor, params.semgrepScanId, body.exit_code),
  )
  api.serve(contract.getSemgrepRulePack, ({ actor, params }) => rules.pack(actor, params.ruleName))
  api.serve(contract.getSemgrepRule, ({ actor, params }) => rules.below(actor, params.ruleName))
  api.serve(contract.getSemgrepRulePackBefore2025, ({ actor, params }) => rules.pack(actor, params.ruleName))
  api.serve(contract.getSemgrepRuleBefore2025, ({ actor, params }) => rules.below(actor, params.ruleName))
  api.serve(contract.getSemgrepSnippet, ({ actor, params }) => rules.byNumber(actor, params.semgrepRuleId))
  api.serve(contract.getSemgrepAutoRules, ({ actor }) => rules.all(actor))
  api.serve(contract.publishSemgrepRule, ({ actor, body }) => rules.publish(actor, body))
  api.serve(contract.listSemgrepRules, ({ actor, query }) => rules.list(actor, query))
  api.serve(contract.deleteSemgrepRule, async ({ actor, params }) => ({
    rule: await rules.remove(actor, params.semgrepRuleId),
  }))
}
