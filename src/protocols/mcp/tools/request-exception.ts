import Type from 'typebox'
import type { FirewallService } from '../../../capabilities/firewall/service.ts'
import type { Verdict, Question as VerdictQuestion } from '../../../capabilities/firewall/verdicts/verdict.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { registryEcosystemIds } from '../../../ecosystems/ecosystem.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { notDone } from '../confirmation.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import type { PageOf } from './console-page.ts'

/** What a client would be answered. */
export type VerdictOn = (actor: Actor, question: VerdictQuestion) => Promise<Pick<Verdict, 'refuse' | 'rule'>>

const dayMs = 86_400_000

/** What people or advisories have said no to is not an agent's to open, whoever confirms it. */
const closed = ['malicious', 'denied']

export function requestException(
  { firewall, verdictOn, clock }: { firewall: Pick<FirewallService, 'override'>; verdictOn: VerdictOn; clock: Clock },
  pageOf: PageOf,
): Tool {
  return tool({
    name: 'request_exception',
    title: 'Ask for an exception of the firewall, once a person confirms',
    description:
      'Proposes to let one version of a package through the malware firewall for some days, for example one that is too young. A person who may make exceptions has to confirm; otherwise nothing is changed and you get a proposal to show to such a person. Known malware, and what the organisation denied, cannot be asked for.',
    permissions: ['firewall:read'],
    changes: true,
    input: Type.Object({
      ecosystem: Type.Unsafe<EcosystemId>(OneOf(registryEcosystemIds, 'For example npm')),
      name: Type.String({ minLength: 1, maxLength: 400, pattern: '^[^*\\s]+$', description: 'Name of the package' }),
      version: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\s<>=|*\\[(,]+$',
        description: 'One exact version',
      }),
      reason: Type.String({
        minLength: 1,
        maxLength: 400,
        pattern: '\\S',
        description: 'Why it is needed; shown to people',
      }),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'How long it holds; 7 by default' })),
    }),
    async call(actor, { ecosystem, name, version, reason, days = 7 }, confirm) {
      const { refuse, rule } = await verdictOn(actor, { ecosystem, name, version })
      const what = `${name}@${version} (${ecosystem})`
      if (!refuse) return { done: false, message: `The firewall does not refuse ${what}, so it needs no exception.` }
      if (closed.includes(rule))
        throw new Fault('unprocessable', `There is no exception for ${what} this way: it is ${rule}.`)
      const question = {
        message: `Let ${what}, which is refused now (${rule}), through the firewall for ${days} days? Reason: ${asData(reason)}`,
        page: await pageOf(actor, 'firewall/overrides'),
        version: '',
      }
      // Who may not decide it is not asked.
      const { answer } = actor.permissions.has('firewall:write') ? confirm(question) : { answer: 'cannot ask' as const }
      if (answer !== 'yes') return notDone(answer, question)
      const expiresAt = new Date(clock.now().getTime() + days * dayMs).toISOString()
      const made = await firewall.override(actor, { ecosystem, name, version, effect: 'allow', reason, expiresAt })
      return { done: true, overrideId: made.id, expiresAt: made.expiresAt, page: question.page }
    },
  })
}
