import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { createCpuBudget } from '../../../kernel/threads/event-loop-yield.ts'
import type { ActionType } from '../automation.ts'
import { compileFilters, type Filters, standsOpen } from './evaluate.ts'

/** Evaluation is given up after this much time: what cannot be decided must not pass as decided. */
const evaluationSeconds = 5

/**
 * What an action of an automation is about. Where something was scanned or turned out to be malicious, only what stands
 * open counts: all of it blocks, and the other actions take what is new. Where somebody decided or pointed at something,
 * it is that. One chooser is for all automations of one event: together they have a bounded time.
 */
export function createChooser(occasion: Occasion, seconds = evaluationSeconds) {
  const compiled = new Map<Filters, ReturnType<typeof compileFilters>>()
  const effort = createCpuBudget(seconds, tooMuch)

  return async (type: ActionType, filters: Filters, subjects: readonly Subject[]): Promise<Subject[]> => {
    const holds = compiled.get(filters) ?? compileFilters(filters)
    compiled.set(filters, holds)
    const chosen: Subject[] = []
    for (const subject of subjects) {
      const pause = effort()
      if (pause) await pause
      if (concerns(type, subject, occasion) && holds(subject, occasion)) chosen.push(subject)
    }
    return chosen
  }
}

export type Chooser = ReturnType<typeof createChooser>

function tooMuch(): Fault {
  const message = 'The automations of this deployment take too long to decide about so much. Nothing was changed.'
  return new Fault('unprocessable', `${message} Use fewer of them, or fewer and shorter patterns with wildcards.`)
}

function concerns(type: ActionType, subject: Subject, { source, scanId }: Occasion): boolean {
  if (source === 'TRIGGER_SOURCE_ISSUE_TRIAGED' || source === 'TRIGGER_SOURCE_MANUAL') return true
  // Without a scan there is nothing to block: advisories have changed, not a repository.
  return standsOpen(subject) && (type === 'ACTION_TYPE_BLOCK' ? scanId > 0 : subject.isNew)
}

/** A subject as histories and answers name it. */
export function nameOf({ kind, id }: Subject): string {
  return `${kind}:${id}`
}
