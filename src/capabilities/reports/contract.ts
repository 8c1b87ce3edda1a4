import Type, { type Static } from 'typebox'
import { severities } from '../../domain/severity.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Cursor, pageFields } from '../../kernel/contract/pagination.ts'
import { Count, DeploymentParams, IdString, NamedObject, OneOf } from '../../kernel/contract/schema.ts'
import { TimePeriod } from '../../kernel/time/time-buckets.ts'
import { productNames, shownStandings, stageNames } from './counting/cell.ts'
import { ReportFilters } from './scope/filters.ts'

const base = '/api/reporting/:deploymentId/reports'
const ReportRequest = NamedObject('ReportRequest', { filters: Type.Optional(ReportFilters) })
const number = (description: string) => Type.Integer({ minimum: 0, description })

const common = {
  tag: 'Reports',
  stability: 'beta',
  security: 'both',
  permission: 'reports:read',
  method: 'POST',
  params: DeploymentParams,
  faults: ['validation_failed', 'unknown_repository', 'unprocessable'],
} as const

const GuardrailsBucket = NamedObject('GuardrailsBucket', {
  timePeriod: TimePeriod,
  silenced: number('Found, but not shown to the developer'),
  open: number('Open, reopened, in review or being fixed'),
  fixed: number('Fixed'),
  ignored: number('Ignored'),
  provisionallyIgnored: number('Provisionally ignored'),
})
export const GuardrailsActivity = NamedObject('GuardrailsActivity', {
  buckets: Type.Array(GuardrailsBucket, { description: 'Contiguous, the first and the last cut to the period' }),
  totalFixed: number('Those of the opened that are fixed now'),
  totalOpened: number('All that were raised in the period but the silenced'),
})
export type GuardrailsActivity = Static<typeof GuardrailsActivity>

export const reportGuardrailsActivity = endpoint({
  ...common,
  id: 'reportGuardrailsActivity',
  summary: 'Report what guardrails found in pull requests',
  description:
    'Counts findings that pull requests introduced: those that the base did not have when they were raised, in repositories that the caller sees. Each counts once, in the bucket in which it was raised, under the state it has now. What was left when its pull request ended is in totalOpened alone.',
  path: `${base}/guardrails-activity`,
  body: ReportRequest,
  response: GuardrailsActivity,
})

const FunnelNumbers = {
  allFindings: number('Neither fixed nor ignored'),
  possiblyExploitable: number('Of them: not provisionally ignored, unreachable or an invalid secret'),
  internetExposed: number('Of them: in repositories that are publicly exposed; malware wherever it is'),
  priorityFindings: number(
    'Of them: critical or high, and of high confidence (code), reachable (dependencies) or valid (secrets); and all malware',
  ),
}
export const Funnel = NamedObject('Funnel', {
  ...FunnelNumbers,
  byProduct: Type.Record(Type.String({ pattern: `^(${productNames.join('|')})$` }), Type.Object(FunnelNumbers), {
    description: 'The same for code, sca and secrets, which sum up to the whole',
  }),
})
export type Funnel = Static<typeof Funnel>

export const reportFunnel = endpoint({
  ...common,
  id: 'reportFunnel',
  summary: 'Report how many findings matter',
  description:
    'Of the findings raised in the period on branches, each thing once a repository, in repositories that the caller sees, those that are neither fixed nor ignored, in four stages, each a part of the one before. It has no buckets: timeBucketSize changes nothing.',
  path: `${base}/funnel`,
  body: ReportRequest,
  response: Funnel,
})

const listRequest = {
  filters: Type.Optional(ReportFilters),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Most ids a page, 1 to 1,000; 100 by default' }),
  ),
  cursor: Type.Optional(Cursor),
}
const FindingIds = NamedObject('FindingIds', {
  findingIds: Type.Array(IdString, { description: 'A page of findings, those raised last first' }),
  ...pageFields,
})
export type FindingIds = Static<typeof FindingIds>

export const GuardrailsList = NamedObject('GuardrailsList', {
  ...listRequest,
  figure: OneOf([...shownStandings, 'totalOpened', 'totalFixed'], 'The number of the report that is asked about'),
  bucket: Type.Optional({ ...TimePeriod, description: 'A bucket of the report; takes the place of the period' }),
})
export type GuardrailsList = Static<typeof GuardrailsList>

export const listGuardrailsFindings = endpoint({
  ...common,
  id: 'listGuardrailsFindings',
  summary: 'List the findings behind a number of the guardrails report',
  description:
    'With the filters of the report, the findings that the number counts. A cursor belongs to its deployment and question.',
  path: `${base}/guardrails-activity/findings`,
  body: GuardrailsList,
  response: FindingIds,
})

export const FunnelList = NamedObject('FunnelList', {
  ...listRequest,
  stage: OneOf(stageNames, 'The number of the report that is asked about'),
  product: Type.Optional(OneOf(productNames, 'Only this part of it')),
})
export type FunnelList = Static<typeof FunnelList>

export const listFunnelFindings = endpoint({
  ...common,
  id: 'listFunnelFindings',
  summary: 'List the findings behind a number of the funnel',
  description:
    'With the filters of the report, the findings that the number counts. A cursor belongs to its deployment and question.',
  path: `${base}/funnel/findings`,
  body: FunnelList,
  response: FindingIds,
})

const ActivityBucket = NamedObject('FindingActivityBucket', {
  timePeriod: TimePeriod,
  opened: number('Raised'),
  fixed: number('Became fixed'),
  reopened: number('Had been fixed and came back'),
  ignored: number('Became ignored'),
  provisionallyIgnored: number('Became provisionally ignored'),
})
export const Activity = NamedObject('FindingActivity', {
  buckets: Type.Array(ActivityBucket, { description: 'Contiguous, the first and the last cut to the period' }),
})
export type Activity = Static<typeof Activity>

const ActivityRequest = NamedObject('ActivityRequest', {
  ...ReportRequest.properties,
  once: Type.Optional(
    Type.Boolean({
      description:
        'Each finding once a bucket and number, as findings are found by `happened` and `happenedAt`; false by default',
    }),
  ),
})

export const reportActivity = endpoint({
  ...common,
  id: 'reportActivity',
  summary: 'Report what happened to findings',
  description:
    'Counts what happened in each bucket, on branches and pull requests alike: a finding that was fixed twice counts twice, unless asked for `once`.',
  path: `${base}/activity`,
  body: ActivityRequest,
  response: Activity,
})

const countOf = <Name extends string>(names: readonly Name[], description: string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>, { description })

const RuleCount = NamedObject('RuleCount', {
  ruleId: Type.String({ description: 'As its tool calls it; empty where it names none' }),
  count: number('Findings by this rule'),
})
export const Backlog = NamedObject('Backlog', {
  total: number('Neither fixed nor ignored: allFindings of the funnel'),
  byProduct: countOf(productNames, 'By what they are about'),
  bySeverity: countOf(severities, 'By severity'),
  byRule: Type.Array(RuleCount, { maxItems: 100, description: 'The rules with most of them, at most 100' }),
  otherRules: number('Findings by all rules that are not listed'),
  medianOpenAgeSeconds: number('Half of them were raised longer ago than this; 0 where there are none'),
})
export type Backlog = Static<typeof Backlog>

export const reportBacklog = endpoint({
  ...common,
  id: 'reportBacklog',
  summary: 'Report what is still to be done',
  description:
    'The findings that the funnel starts with, with the same filters, by product, severity and rule, and their age.',
  path: `${base}/backlog`,
  body: ReportRequest,
  response: Backlog,
})
