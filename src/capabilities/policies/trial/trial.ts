import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { daysBefore } from '../../../kernel/time/whole-days.ts'
import type { ProductType, RuleMode } from '../contract.ts'
import { modeForRule } from '../mode-for-rule.ts'
import { modesInForce } from '../public.ts'
import { refuseRepeated } from '../service.ts'
import { find } from '../store.ts'
import { type PolicyTrial, tryPolicyRules } from './trial-contract.ts'

export type Recorded = { rule: string; repositoryId: number; pullRequest: number; findings: number }

/** What pull requests brought: findings know. */
export type RecordedSince = (
  db: Queryable,
  actor: Actor,
  asked: { secrets: boolean; since: Date; limit: number },
) => Promise<Recorded[]>

type Parts = { db: Database; clock: Clock; recordedSince: RecordedSince }
type ModeOf = (ruleId: string) => RuleMode

const usualDays = 90
/** This many pairs of a rule and a pull request are looked at. */
const most = 200_000
const mostShown = 1_000

export function policyTrialRoutes(api: Api, { db, clock, recordedSince }: Parts): void {
  api.serve(tryPolicyRules, async ({ actor, params, body }) => {
    if (!actor.permissions.has('findings:read'))
      throw new Fault('forbidden', "A trial shows findings, so it also needs the permission 'findings:read'.")
    refuseRepeated(body.rules)
    const reader = db.as(actor)
    const policy = await find(reader, params.policyId)
    if (!policy) throw new Fault('not_found', `No policy ${params.policyId}.`)
    const since = daysBefore(clock.now(), body.days ?? usualDays)
    const before = await modesInForce(reader, policy.product_type)
    const recorded = await recordedSince(reader, actor, {
      secrets: isAboutSecrets(policy.product_type),
      since,
      limit: most,
    })
    return { since: since.toISOString(), ...(await compare(recorded, before, modeForRule(body.rules))) }
  })
}

function isAboutSecrets(productType: ProductType): boolean {
  return productType === 'PRODUCT_TYPE_SECRETS'
}

/** In turns with others: there may be as many rules as there are pairs. */
export async function compare(
  recorded: readonly Recorded[],
  before: ModeOf,
  after: ModeOf,
): Promise<Omit<PolicyTrial, 'since'>> {
  const breath = createYield()
  const [all, blockedBefore, blockedAfter] = [createSize(), createSize(), createSize()]
  const byRule = new Map<string, { from: RuleMode; to: RuleMode; size: Size }>()
  for (const each of recorded) {
    await breath()
    const { rule } = each
    const known = byRule.get(rule) ?? { from: before(rule), to: after(rule), size: createSize() }
    byRule.set(rule, known)
    all.add(each)
    if (known.from !== known.to) known.size.add(each)
    if (known.from === 'block') blockedBefore.add(each)
    if (known.to === 'block') blockedAfter.add(each)
  }
  let changes: PolicyTrial['changes'] = []
  for (const [rule, { from, to, size }] of byRule) {
    await breath()
    if (from === to) continue
    changes.push({ rule, from, to, ...size.sum() })
    if (changes.length >= 2 * mostShown) changes = largest(changes)
  }
  return {
    ...all.sum(),
    blockedBefore: blockedBefore.sum().pullRequests,
    blockedAfter: blockedAfter.sum().pullRequests,
    changes: largest(changes),
  }
}

function largest(changes: PolicyTrial['changes']): PolicyTrial['changes'] {
  return changes.sort((a, b) => b.findings - a.findings || (a.rule < b.rule ? -1 : 1)).slice(0, mostShown)
}

type Size = ReturnType<typeof createSize>

function createSize() {
  const pullRequests = new Set<string>()
  let findings = 0

  function add(seen: Recorded): void {
    findings += seen.findings
    pullRequests.add(`${seen.repositoryId} ${seen.pullRequest}`)
  }

  return { add, sum: () => ({ findings, pullRequests: pullRequests.size }) }
}
