import type { Api } from '../../../kernel/contract/api.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { usualTrialDays } from '../../firewall-activity/public.ts'
import type { NewOverride } from '../contract.ts'
import { overrideSubject } from '../overrides/override-subject.ts'
import { createOverrideTable, type Override } from '../verdicts/override-table.ts'
import { tryOverrides } from './override-trial-contract.ts'
import type { Trial } from './trial.ts'

/** Tells them from those that are there. */
const firstDraftId = Number.MAX_SAFE_INTEGER - 1_000

export function overrideTrialRoutes(api: Api, { attempt }: Trial, clock: Clock): void {
  api.serve(tryOverrides, async ({ actor, body }) => {
    const { create = [], deleteIds = [], days = usualTrialDays } = body
    const drafts = create.map((sent, at) => draftOf(sent, firstDraftId + at))
    const gone = new Set(deleteIds)
    const now = clock.now()
    const sentences = drafts.map(sentenceOf)
    const found = await attempt(actor, days, (before) => {
      const left = before.overrides.all.filter(
        (each) => !gone.has(each.id) && !(each.expiresAt && each.expiresAt <= now),
      )
      for (const each of before.overrides.all) if (gone.has(each.id)) sentences.push(`No longer: ${sentenceOf(each)}`)
      return { ...before, overrides: createOverrideTable([...left, ...drafts]), isWatching: false }
    })
    return { ...found, sentences }
  })
}

function draftOf(sent: NewOverride, id: number): Override {
  const { ecosystem, effect, reason, expiresAt } = sent
  return { id, ecosystem, ...overrideSubject(sent), effect, reason, expiresAt: expiresAt ? new Date(expiresAt) : null }
}

function sentenceOf({ effect, ecosystem, name, version }: Override): string {
  const which = version === '' ? 'every version' : version
  return `${effect === 'allow' ? 'Let in' : 'Refuse'} ${name} of ${ecosystem}, ${which}.`
}
