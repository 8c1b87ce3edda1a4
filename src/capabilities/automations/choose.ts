import type { Occasion, Subject } from '../../kernel/trigger.ts'
import type { ActionType } from './automation.ts'
import { type Filters, holds, standsOpen } from './evaluate.ts'

/**
 * What an action of an automation is about. Where something was scanned or turned out to be malicious, only what stands
 * open counts: all of it blocks, and the other actions take what is new. Where somebody decided or pointed at something,
 * it is that.
 */
export function chooseSubjects(
  type: ActionType,
  filters: Filters,
  subjects: readonly Subject[],
  occasion: Occasion,
): Subject[] {
  return subjects.filter((subject) => concerns(type, subject, occasion) && holds(filters, subject, occasion))
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
