import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { DeploymentParams, NamedObject, OneOf, Timestamp } from '../../../kernel/contract/schema.ts'
import { TimePeriod } from '../../../kernel/time/time-buckets.ts'
import { ReportFilters } from '../scope/filters.ts'

const number = (description: string) => Type.Integer({ minimum: 0, description })

const trendGroups = ['repository', 'team', 'tag'] as const
export type TrendGroup = (typeof trendGroups)[number]

const open = {
  open: number('Findings that stood on a branch then, each thing once, neither fixed nor ignored'),
  medianAgeSeconds: number(
    'Half of them were raised longer before than this; 0 where there are none, or it is not known',
  ),
  medianAgeKnown: Type.Boolean({ description: 'Not where there are some, and none of them was drawn' }),
}
const fixes = {
  fixed: number('Findings of branches that are fixed and became so in the period'),
  medianSecondsToFix: number(
    'Half of them took longer than this from being raised; 0 where there are none, or it is not known',
  ),
  medianSecondsToFixKnown: Type.Boolean({ description: 'Not where there are some, and none of them was drawn' }),
}

const BacklogPoint = NamedObject('BacklogPoint', { at: Timestamp, ...open })
const FixBucket = NamedObject('FixBucket', { timePeriod: TimePeriod, ...fixes })
const TrendRow = NamedObject('TrendRow', {
  key: Type.String({ description: 'Name of the repository, slug of the team, or the tag: as filters take it' }),
  name: Type.String({ description: 'What it is called' }),
  ...open,
  ...fixes,
})

export const Trends = NamedObject('Trends', {
  points: Type.Array(BacklogPoint, { description: 'The backlog at the last millisecond of each bucket, or now' }),
  fixes: Type.Array(FixBucket, { description: 'What was fixed in each bucket, and how long it had taken' }),
  mediansOf: number(
    'Medians of points and fixes are of a sample, one finding in this many, drawn by their ids: of all up to 10,000 findings, also at a point up to which no more were raised. All other numbers are exact',
  ),
  rows: Type.Array(TrendRow, {
    maxItems: 200,
    description: 'At the end of the period, and over it; most open first. Empty unless asked for by something',
  }),
  rowMediansOf: number('Medians of rows are of a sample, one finding in this many. Small rows are read whole'),
  moreRows: number('How many further rows there are'),
})
export type Trends = Static<typeof Trends>

export const reportTrends = endpoint({
  tag: 'Reports',
  stability: 'beta',
  security: 'both',
  permission: 'reports:read',
  method: 'POST',
  params: DeploymentParams,
  faults: ['validation_failed', 'unknown_repository', 'unprocessable'],
  id: 'reportTrends',
  summary: 'Report the backlog over time, and how long fixing takes',
  description:
    'What was open at the end of each bucket of the period, whenever it was raised, and its median age; what was fixed in each bucket, and how long that took; both by repository, team or tag if asked for. The findings behind a point are those of the filter `standingAt`; those behind a number of fixes are those of `fixedAt` with `once`, `pullRequests: none` and the state fixed. What is in several teams or has several tags counts in each.',
  path: '/api/reporting/:deploymentId/reports/trends',
  body: NamedObject('TrendsRequest', {
    filters: Type.Optional(ReportFilters),
    by: Type.Optional(OneOf(trendGroups, 'Also one row for each of these')),
  }),
  response: Trends,
})
