import Type from 'typebox'
import type { Exceptions } from '../../../capabilities/firewall/exceptions/exceptions.ts'
import type { Verdict, Question as VerdictQuestion } from '../../../capabilities/firewall/verdicts/verdict.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { registryEcosystemIds } from '../../../ecosystems/ecosystem.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import { notDone } from '../confirmation.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import type { PageOf } from './console-page.ts'

/** What a client would be answered. */
export type VerdictOn = (actor: Actor, question: VerdictQuestion) => Promise<Pick<Verdict, 'refuse' | 'rule'>>

/** What people or advisories have said no to is not an agent's to ask for, whoever confirms it. */
const closed = ['malicious', 'denied']

export function requestException(
  { exceptions, verdictOn }: { exceptions: Pick<Exceptions, 'ask'>; verdictOn: VerdictOn },
  pageOf: PageOf,
): Tool {
  return tool({
    name: 'request_exception',
    title: 'Ask for an exception of the firewall, once a person confirms',
    description:
      'Asks those who decide it to let one version of a package through the malware firewall, for example one that is too young. The person you work for has to confirm that it is asked for; nothing is let through until somebody approves. Known malware, and what the organisation denied, cannot be asked for.',
    permissions: ['firewall:read', 'firewall:ask'],
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
    }),
    async call(actor, { ecosystem, name, version, reason }, confirm) {
      const { refuse, rule } = await verdictOn(actor, { ecosystem, name, version })
      const what = `${name}@${version} (${ecosystem})`
      if (!refuse) return { done: false, message: `The firewall does not refuse ${what}, so it needs no exception.` }
      if (closed.includes(rule))
        throw new Fault('unprocessable', `There is no exception for ${what} this way: it is ${rule}.`)
      const question = {
        message: `Ask for an exception for ${what}, which is refused now (${rule})? Reason: ${asData(reason)}`,
        page: await pageOf(actor, 'firewall/exceptions'),
        version: '',
      }
      const { answer } = confirm(question)
      if (answer !== 'yes') return notDone(answer, question)
      const { id, state } = await exceptions.ask(actor, { ecosystem, name, version, reason })
      return { done: true, exceptionId: id, state, page: question.page }
    },
  })
}
