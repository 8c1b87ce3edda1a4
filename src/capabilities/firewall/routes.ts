import type { Actor } from '../../kernel/access/actor.ts'
import { actsAsOperator } from '../../kernel/access/identity.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  type Availability,
  createOverride,
  deleteOverride,
  getEcosystemSettings,
  getFirewallSettings,
  getFirewallState,
  getVerdict,
  listOverrides,
  putFirewallSettings,
} from './contract.ts'
import { listExposures } from './exposure/exposure-contract.ts'
import { decideHeldAdvisory, listHeldAdvisories } from './overrides/review-contract.ts'
import type { FirewallService } from './service.ts'
import { shownVerdict } from './verdicts/shown-verdict.ts'
import type { Question, Verdict } from './verdicts/verdict.ts'

export function firewallRoutes(api: Api, firewall: FirewallService): void {
  api.serve(getFirewallState, ({ caller }) => firewall.state(actsAsOperator(caller)))
  api.serve(listOverrides, ({ actor, query }) => firewall.listOverrides(actor, pageRequest(query), query))
  api.serve(createOverride, async ({ actor, body }) => ({ override: await firewall.override(actor, body) }))
  api.serve(deleteOverride, async ({ actor, params }) => ({
    override: await firewall.deleteOverride(actor, params.overrideId),
  }))
  api.serve(getFirewallSettings, async ({ actor }) => ({ settings: await firewall.getChoices(actor) }))
  api.serve(getEcosystemSettings, ({ actor, params }) => firewall.getChoice(actor, params.ecosystem))
  api.serve(putFirewallSettings, ({ actor, body }) => firewall.putChoices(actor, body))
  api.serve(listHeldAdvisories, ({ actor, query }) => firewall.listHeld(actor, pageRequest(query), query))
  api.serve(decideHeldAdvisory, async ({ actor, params, body }) => ({
    heldAdvisory: await firewall.decide(actor, params.heldAdvisoryId, body),
  }))
  api.serve(listExposures, ({ actor, query }) => firewall.listExposures(actor, pageRequest(query), query))
}

type Answers = {
  verdictOn(actor: Actor, question: Question): Promise<Verdict>
  availabilityOf(actor: Actor, question: Question): Promise<Availability | undefined>
}

/** What clients are answered: by whoever answers them. */
export function verdictRoute(api: Api, { verdictOn, availabilityOf }: Answers): void {
  api.serve(getVerdict, async ({ actor, query: { publishedAt, availability: wanted, ...question } }) => {
    const given = publishedAt === undefined ? question : { ...question, publishedAt: new Date(publishedAt) }
    const verdict = await verdictOn(actor, given)
    const availability = wanted && !verdict.refuse ? await availabilityOf(actor, question) : undefined
    return { ...shownVerdict(verdict), ...(availability && { availability }) }
  })
}
