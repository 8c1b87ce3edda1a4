import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  createAutomation,
  deleteAutomation,
  dryRunAutomation,
  fireAutomation,
  getAutomation,
  listAutomationRuns,
  listAutomations,
  tryAutomation,
  updateAutomation,
} from './contract.ts'
import type { AutomationTrials } from './rules/trial.ts'
import type { AutomationService } from './service.ts'

const usualScans = 20

export function automationRoutes(api: Api, automations: AutomationService, trials: AutomationTrials): void {
  api.serve(listAutomations, async ({ actor }) => ({ automations: await automations.list(actor) }))
  api.serve(createAutomation, async ({ actor, body }) => ({ automation: await automations.create(actor, body) }))
  api.serve(getAutomation, async ({ actor, params }) => ({
    automation: await automations.get(actor, params.automationId),
  }))
  api.serve(updateAutomation, async ({ actor, params, body }) => ({
    automation: await automations.update(actor, params.automationId, body),
  }))
  api.serve(deleteAutomation, async ({ actor, params }) => ({
    automation: await automations.remove(actor, params.automationId),
  }))
  api.serve(listAutomationRuns, ({ actor, params, query }) =>
    automations.history(actor, params.automationId, query.actionId, pageRequest(query)),
  )
  api.serve(fireAutomation, ({ actor, params, body }) => trials.fire(actor, params.automationId, body))
  api.serve(dryRunAutomation, ({ actor, params, body }) =>
    trials.dryRun(actor, params.automationId, body.scans ?? usualScans),
  )
  api.serve(tryAutomation, ({ actor, body }) => trials.tryOut(actor, body, body.scans ?? usualScans))
}
