import { readAssignees } from '../../../domain/assignees.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import { openPeriod } from '../../../kernel/time/open-period.ts'
import * as codes from '../codes.ts'
import type { IssueCriteria } from './conditions.ts'
import type { IssueFilter } from './filter.ts'

/** A filter in the words of the tables. */
export function readFilter(actor: Actor, filter: IssueFilter): IssueCriteria {
  const errors: FieldError[] = []
  const wanted = {
    states: filter.triageStates?.map(codes.state.code),
    reasons: filter.triageReasons?.map(codes.reason.code),
    severities: filter.severities?.map(codes.severity.code),
    repositoryIds: filter.projectIds?.map(Number),
    title: filter.title,
    assignees: readAssignees(filter.assignees, actor),
    created: openPeriod(filter.createdAt, '/filter/createdAt', errors),
    lastDetected: openPeriod(filter.lastDetectedAt, '/filter/lastDetectedAt', errors),
  }
  if (errors.length > 0) throw new Fault('validation_failed', 'A period ends before it starts.', { errors })
  return wanted
}
