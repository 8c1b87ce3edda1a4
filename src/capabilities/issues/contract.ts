import Type, { type Static } from 'typebox'
import { triageStates } from '../../domain/triage.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { NumberCursor, pageFields, pageQuery, searchPage } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  OneOf,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { IssueReport } from './ingest/report.ts'
import { Issue, Reason, State, severities } from './issue.ts'
import { CellFilter, IssueFilter, Sort } from './search/filter.ts'

export { IssueFilter }

const base = '/api/issues/:deploymentId'
const IssueParams = Type.Object({ deploymentId: AnyId, issueId: IdParameter })
const OneIssue = NamedObject('OneIssue', { data: Issue })
const common = { tag: 'Issues', stability: 'experimental', security: 'both' } as const

export const TriageRequest = NamedObject('IssueTriage', {
  deploymentId: Type.Optional(IdString),
  issueId: Type.Optional(IdString),
  triageState: State,
  triageReason: Type.Optional(Reason),
})
export type TriageRequest = Static<typeof TriageRequest>

export const triageIssue = endpoint({
  ...common,
  id: 'triageIssue',
  summary: 'Triage an issue',
  description:
    'Sets its state and reason; any state may follow any other, with any reason. Without a reason the former reason is cleared. Every call is kept as activity. What is decided here counts as a decision of a person, which no automation overrides.',
  permission: 'issues:triage',
  method: 'POST',
  path: `${base}/issue/:issueId`,
  params: IssueParams,
  body: TriageRequest,
  response: OneIssue,
  faults: ['id_mismatch', 'not_found', 'precondition_failed'],
})

export const getIssue = endpoint({
  ...common,
  id: 'getIssue',
  summary: 'Get an issue',
  description: 'One that the caller sees: of a repository they see, or of the whole deployment.',
  permission: 'issues:read',
  method: 'GET',
  path: `${base}/issue/:issueId`,
  params: IssueParams,
  response: OneIssue,
  faults: ['not_found'],
})

const Decider = named(
  'IssueDecider',
  OneOf(
    ['DECIDER_PERSON', 'DECIDER_AUTOMATION'],
    'Whether a person decided, or a report that the issue is gone or back',
  ),
)

const Activity = NamedObject('IssueActivity', {
  seq: Type.Integer({ minimum: 1, description: 'Number of the change, from 1, without gaps' }),
  at: Timestamp,
  decidedBy: Decider,
  personId: Type.Integer({ description: 'Whose request it was' }),
  personName: Type.String({ description: 'Their name; of one who has left the deployment their name then' }),
  tokenId: Type.Integer({ description: 'The token they used; 0 when signed in' }),
  fromState: State,
  fromReason: Reason,
  toState: State,
  toReason: Reason,
})
export type Activity = Static<typeof Activity>

const ActivityQuery = Type.Object({
  pageSize: pageQuery.pageSize,
  cursor: Type.Optional(NumberCursor(2_147_483_647)),
})

export const listIssueActivity = endpoint({
  ...common,
  id: 'listIssueActivity',
  summary: 'List what was decided about an issue',
  description: 'Newest first. Each change starts from the state that the one before it led to.',
  permission: 'issues:read',
  method: 'GET',
  path: `${base}/issue/:issueId/activity`,
  params: IssueParams,
  query: ActivityQuery,
  response: Type.Object({
    activity: Type.Array(Activity, { description: 'A page of changes, newest first' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})

const outcomes = ['OUTCOME_CREATED', 'OUTCOME_UPDATED', 'OUTCOME_UNCHANGED'] as const
export type IngestionOutcome = (typeof outcomes)[number]

const IngestionResult = NamedObject('IngestionResult', {
  issueId: IdString,
  externalKey: Type.String({ description: 'The key it was sent with' }),
  outcome: OneOf(outcomes, 'What the report did; a report older than the last one changes nothing'),
  triageState: State,
})
export type IngestionResult = Static<typeof IngestionResult>

export const ingestIssues = endpoint({
  ...common,
  id: 'ingestIssues',
  summary: 'Report issues',
  description:
    'All or none. A key that is known updates that issue and never resets what was decided about it. An issue seen after it was fixed is reopened; one that is no longer seen and that no person has decided on becomes fixed.',
  permission: 'issues:write',
  method: 'POST',
  path: `${base}/issues`,
  params: DeploymentParams,
  body: Type.Object({
    issues: Type.Array(IssueReport, { minItems: 1, maxItems: 500, description: 'One report for each issue' }),
  }),
  response: Type.Object({
    results: Type.Array(IngestionResult, { description: 'In the order of the request' }),
  }),
  faults: ['validation_failed', 'unknown_repository', 'unprocessable', 'conflict'],
})

export const IssueSearch = NamedObject('IssueSearch', {
  filter: Type.Optional(IssueFilter),
  sort: Type.Optional(Sort),
  ...searchPage,
})
export type IssueSearch = Static<typeof IssueSearch>

export const searchIssues = endpoint({
  ...common,
  id: 'searchIssues',
  summary: 'Search issues',
  description:
    'Those the caller sees: of at least one repository they see, or of the whole deployment. All parts of the filter must hold. A cursor belongs to its deployment, filter and sort.',
  permission: 'issues:read',
  method: 'POST',
  path: `${base}/issues/search`,
  params: DeploymentParams,
  body: IssueSearch,
  response: Type.Object({
    issues: Type.Array(Issue, { description: 'A page of issues' }),
    hasMore: Type.Boolean({ description: 'Whether there are issues after this page' }),
    cursor: Type.String({ description: 'Where the next page starts; empty on the last one' }),
  }),
  faults: ['validation_failed'],
})

const countOf = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>)

export const IssueCounts = NamedObject('IssueCounts', {
  total: Count,
  byTriageState: countOf(triageStates),
  bySeverity: countOf(severities),
})
export type IssueCounts = Static<typeof IssueCounts>

export const countIssues = endpoint({
  ...common,
  id: 'countIssues',
  summary: 'Count issues by state and severity',
  description: 'Of the issues that the caller sees. Read from counters, not from the issues.',
  permission: 'issues:read',
  method: 'POST',
  path: `${base}/issues/counts`,
  params: DeploymentParams,
  body: Type.Object({ filter: Type.Optional(CellFilter) }),
  response: IssueCounts,
  faults: [],
})

export const BulkTriage = NamedObject('IssueBulkTriage', {
  issueIds: Type.Optional(
    Type.Array(IdString, { minItems: 1, maxItems: 500, description: 'These issues; or give a filter' }),
  ),
  filter: Type.Optional(IssueFilter),
  triageState: State,
  triageReason: Type.Optional(Reason),
})
export type BulkTriage = Static<typeof BulkTriage>

export const triageIssues = endpoint({
  ...common,
  id: 'triageIssues',
  summary: 'Triage many issues',
  description:
    'Those with the ids, or those that a filter matches: at most 10,000. All or none. What a person has decided in just this way before is left alone.',
  permission: 'issues:triage',
  method: 'POST',
  path: `${base}/issues/triage`,
  params: DeploymentParams,
  body: BulkTriage,
  response: Type.Object({
    changedIssueIds: Type.Array(IdString, { maxItems: 10_000, description: 'Those it changed, ordered by id' }),
    unchangedIssueIds: Type.Array(IdString, {
      maxItems: 10_000,
      description: 'Those that a person had decided in just this way before',
    }),
  }),
  faults: ['validation_failed', 'unprocessable'],
})
