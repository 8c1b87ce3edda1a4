import Type from 'typebox'
import type { Findings } from '../../../capabilities/findings/service.ts'
import { triageReasons, triageStates } from '../../../domain/triage.ts'
import { versionOf } from '../../../kernel/contract/etag.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import { notDone } from '../confirmation.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import type { PageOf } from './console-page.ts'
import { findingIdText } from './findings.ts'

export function triageFinding(findings: Pick<Findings, 'get' | 'triage'>, pageOf: PageOf): Tool {
  return tool({
    name: 'triage_finding',
    title: 'Triage a finding, once a person confirms',
    description:
      'Proposes a state and reason for a finding. A person has to confirm: where the client can ask its user, it does; otherwise nothing is changed and you get a proposal to show to a person.',
    permissions: ['findings:read', 'findings:triage'],
    changes: true,
    input: Type.Object({
      findingId: findingIdText,
      state: OneOf(triageStates, 'What is decided about it'),
      reason: Type.Optional(OneOf(triageReasons, 'Why')),
      note: Type.String({
        minLength: 1,
        maxLength: 1_500,
        pattern: '\\S',
        description: 'For whoever reads the history',
      }),
    }),
    async call(actor, { findingId, state, reason, note }, confirm) {
      const { data } = await findings.get(actor, Number(findingId))
      const why = reason && reason !== 'TRIAGE_REASON_UNSPECIFIED' ? ` because ${plain(reason)}` : ''
      const said = asData({ title: data.title, repository: data.repository, note })
      const question = {
        message: `Set finding ${findingId} ("${said.title}" in ${said.repository}) from ${plain(data.triageState)} to ${plain(state)}${why}? Note: ${said.note}`,
        page: await pageOf(actor, `findings/${findingId}`),
        version: `"${versionOf(data)}"`,
      }
      const { answer, version } = confirm(question)
      if (answer !== 'yes') return notDone(answer, question)
      // What they said yes to is the finding as it was shown to them.
      const changed = await findings.triage({ ...actor, ifMatch: version }, Number(findingId), {
        triageState: state,
        ...(reason && { triageReason: reason }),
        note: `${note} (Proposed by a program, confirmed by its user.)`,
      })
      return {
        done: true,
        id: changed.id,
        state: changed.triageState,
        reason: changed.triageReason,
        page: question.page,
      }
    },
  })
}

/** TRIAGE_STATE_PROVISIONALLY_IGNORED as people say it. */
function plain(name: string): string {
  return name
    .replace(/^TRIAGE_(STATE|REASON)_/, '')
    .toLowerCase()
    .replaceAll('_', ' ')
}
