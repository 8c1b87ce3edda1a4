import Type, { type Static } from 'typebox'
import { IdString, NamedObject, named, OneOf, Timestamp } from '../../../kernel/contract/schema.ts'
import { Reason, SeverityLevel, State } from '../issue.ts'

const Assignee = named(
  'Assignee',
  Type.String({ pattern: '^(me|none|[0-9]{1,16})$', description: 'Id of a person, `me` for the caller, or `none`' }),
)

const Period = NamedObject('MomentRange', {
  since: Type.Optional({ ...Timestamp, description: 'From this moment on' }),
  until: Type.Optional({ ...Timestamp, description: 'Up to, and not including, this moment' }),
})

/** What the counters know: cells that can be asked for without looking at an issue. */
const cellFilter = {
  triageStates: Type.Optional(Type.Array(State, { minItems: 1, maxItems: 7, description: 'In one of these states' })),
  triageReasons: Type.Optional(
    Type.Array(Reason, { minItems: 1, maxItems: 4, description: 'With one of these reasons' }),
  ),
  severities: Type.Optional(
    Type.Array(SeverityLevel, { minItems: 1, maxItems: 5, description: 'Of one of these severities' }),
  ),
  projectIds: Type.Optional(
    Type.Array(IdString, { minItems: 1, maxItems: 500, description: 'About at least one of these repositories' }),
  ),
}
export const CellFilter = NamedObject('IssueCountFilter', cellFilter)
export type CellFilter = Static<typeof CellFilter>

export const IssueFilter = NamedObject('IssueFilter', {
  ...cellFilter,
  title: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Titles that contain this, in any letter case' }),
  ),
  assignees: Type.Optional(
    Type.Array(Assignee, { minItems: 1, maxItems: 100, description: 'Looked after by one of these people' }),
  ),
  createdAt: Type.Optional(Period),
  lastDetectedAt: Type.Optional(Period),
})
export type IssueFilter = Static<typeof IssueFilter>

export const Sort = NamedObject('IssueSort', {
  by: Type.Optional(
    OneOf(['createdAt', 'lastDetectedAt', 'severity'], 'createdAt by default; issues of one severity by createdAt'),
  ),
  direction: Type.Optional(OneOf(['desc', 'asc'], 'desc by default: newest or most severe first')),
})
export type Sort = Static<typeof Sort>
