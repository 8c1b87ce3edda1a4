import Type, { type Static } from 'typebox'
import { triageStates } from '../../domain/triage.ts'
import * as names from '../../domain/wire-names.ts'
import type { Download } from '../../kernel/contract/api.ts'
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
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { CauseName, DecidedBy, Finding, FindingDetail, PersonOfDeployment, Reason, State } from './finding.ts'
import { FindingFilter, Sort } from './search/filter.ts'

export { FindingFilter, PersonOfDeployment }

const base = '/api/findings/:deploymentId/findings'
const FindingParams = Type.Object({ deploymentId: AnyId, findingId: IdParameter })
const OneFinding = NamedObject('OneFinding', { data: Finding })
const common = { tag: 'Findings', stability: 'beta', security: 'both' } as const

export const FindingSearch = NamedObject('FindingSearch', {
  filter: Type.Optional(FindingFilter),
  sort: Type.Optional(Sort),
  ...searchPage,
})
export type FindingSearch = Static<typeof FindingSearch>

export const searchFindings = endpoint({
  ...common,
  id: 'searchFindings',
  summary: 'Search findings',
  description:
    'Those of repositories that the caller sees. All parts of the filter must hold. A cursor belongs to its deployment, filter and sort. Of a filter that little matches, a page looks at some 20,000 findings: it may have fewer than it could show, or none, and more may follow.',
  permission: 'findings:read',
  method: 'POST',
  path: `${base}/search`,
  params: DeploymentParams,
  body: FindingSearch,
  response: Type.Object({
    findings: Type.Array(Finding, { description: 'A page of findings' }),
    ...pageFields,
  }),
  faults: ['validation_failed'],
})

function countOf(all: readonly string[], description: string) {
  return Type.Object(Object.fromEntries(all.map((name) => [name, Count])), { description })
}

export const FindingCounts = NamedObject('FindingCounts', {
  total: Count,
  byTriageState: countOf(names.stateNames.all, 'By state'),
  bySeverity: countOf(names.severityNames.all, 'By severity'),
  byProduct: countOf(names.productNames.all, 'By kind'),
  atLeast: Type.Boolean({
    description:
      'Whether there may be more: of a question that many findings may match and that no counter answers, some 200,000 are read',
  }),
})
export type FindingCounts = Static<typeof FindingCounts>

export const countFindings = endpoint({
  ...common,
  id: 'countFindings',
  summary: 'Count findings by state, severity and kind',
  description: 'Of the findings that the caller sees and that the filter matches.',
  permission: 'findings:read',
  method: 'POST',
  path: `${base}/counts`,
  params: DeploymentParams,
  body: Type.Object({ filter: Type.Optional(FindingFilter) }),
  response: FindingCounts,
  faults: ['validation_failed'],
})

export const getFinding = endpoint({
  ...common,
  id: 'getFinding',
  summary: 'Get a finding',
  description: 'One in a repository that the caller sees. Others look as if they did not exist.',
  permission: 'findings:read',
  method: 'GET',
  path: `${base}/:findingId`,
  params: FindingParams,
  response: VersionedObject('FindingWithDetail', { data: Finding, detail: FindingDetail }),
  faults: ['not_found'],
})

const Note = named('TriageNote', Type.String({ maxLength: 2_000, description: 'For whoever reads the history' }))

const Decision = named('TriageState', OneOf(triageStates, 'What is decided about it'))

const ThisBranchOnly = named(
  'ThisBranchOnly',
  Type.Boolean({ description: 'Leave the same findings on other branches as they are' }),
)

export const FindingTriage = NamedObject('FindingTriage', {
  triageState: Decision,
  triageReason: Type.Optional(Reason),
  note: Type.Optional(Note),
  thisBranchOnly: Type.Optional(ThisBranchOnly),
})
export type FindingTriage = Static<typeof FindingTriage>

export const triageFinding = endpoint({
  ...common,
  id: 'triageFinding',
  summary: 'Triage a finding',
  description:
    'Sets its state and reason; any state may follow any other, with any reason. Without a reason the former reason is cleared. Every call is a line of its history. It counts as a decision of a person, which no rule, memory or automation overrides; only what is called fixed and then found again is reopened. Unless it is TRIAGE_STATE_FIXED, it counts for the same finding on other branches of the repository too, if it is the same code and nobody decided otherwise about it there.',
  permission: 'findings:triage',
  method: 'POST',
  path: `${base}/:findingId`,
  params: FindingParams,
  body: FindingTriage,
  response: OneFinding,
  faults: ['not_found', 'precondition_failed', 'unprocessable'],
})

export const BulkTriage = NamedObject('FindingBulkTriage', {
  findingIds: Type.Optional(
    Type.Array(IdString, { minItems: 1, maxItems: 500, description: 'These findings; or give a filter' }),
  ),
  filter: Type.Optional(FindingFilter),
  triageState: Decision,
  triageReason: Type.Optional(Reason),
  note: Type.Optional(Note),
  thisBranchOnly: Type.Optional(ThisBranchOnly),
})
export type BulkTriage = Static<typeof BulkTriage>

const FormerTriage = NamedObject(
  'FormerTriage',
  {
    triageState: State,
    triageReason: Reason,
    findingIds: Type.Array(IdString, { maxItems: 100_000, description: 'Ordered by id' }),
  },
  { description: 'Findings and how all of them stood before' },
)

export const triageFindings = endpoint({
  ...common,
  id: 'triageFindings',
  summary: 'Triage many findings',
  description:
    'Those with the ids, or those that a filter matches: at most 10,000. All or none. What a person has decided in just this way before is left alone. It counts for the same findings on other branches too, as in triageFinding: for at most 100,000.',
  permission: 'findings:triage',
  method: 'POST',
  path: `${base}/triage`,
  params: DeploymentParams,
  body: BulkTriage,
  response: Type.Object({
    changedFindingIds: Type.Array(IdString, { maxItems: 10_000, description: 'Those it changed, ordered by id' }),
    unchangedFindingIds: Type.Array(IdString, {
      maxItems: 10_000,
      description: 'Those that a person had decided in just this way before',
    }),
    sameOnOtherBranches: Type.Array(FormerTriage, {
      description:
        'Those on other branches that are the same and were decided along with these, by how they stood before',
    }),
  }),
  faults: ['validation_failed', 'unprocessable'],
})

const Change = NamedObject('FindingChange', {
  seq: Type.Integer({ minimum: 0, description: 'Number of the change, without gaps; 0 is that it was raised' }),
  at: Timestamp,
  fromState: State,
  fromReason: Reason,
  toState: State,
  toReason: Reason,
  decidedBy: DecidedBy,
  deciderId: Type.String({
    description: 'Id of the memory, automation or person that decided; empty for none of them',
  }),
  deciderName: Type.String({
    description: 'Name of the person, of one who has left the deployment their name then; empty for others',
  }),
  cause: CauseName,
  tokenId: Type.Integer({ minimum: 0, description: 'The token a person used; 0 when signed in' }),
  scanId: Type.Integer({ minimum: 0, description: 'The scan that showed it; 0 where none did' }),
  note: Type.String({ description: 'What was said about it' }),
})
export type Change = Static<typeof Change>

export const HistoryQuery = Type.Object({
  pageSize: pageQuery.pageSize,
  cursor: Type.Optional(NumberCursor(2_147_483_647)),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const listFindingHistory = endpoint({
  ...common,
  id: 'listFindingHistory',
  summary: 'List the history of a finding',
  description:
    'Every change of its state, newest first, with who made it and why; the last entry is that it was raised.',
  permission: 'findings:read',
  method: 'GET',
  path: `${base}/:findingId/history`,
  params: FindingParams,
  query: HistoryQuery,
  response: Type.Object({
    history: Type.Array(Change, { description: 'A page of changes, newest first' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})

const exportTypes = { json: 'application/json', csv: 'text/csv', sarif: 'application/sarif+json' } as const
export type ExportFormat = keyof typeof exportTypes
export const exportMediaTypes = Object.values(exportTypes)
export const mediaTypeOf = (format: ExportFormat): string => exportTypes[format]

export const FindingExport = NamedObject('FindingExport', {
  format: Type.Optional(OneOf(['json', 'csv', 'sarif'], 'json by default; sarif is SARIF 2.1.0')),
  filter: Type.Optional(FindingFilter),
})
export type FindingExport = Static<typeof FindingExport>

export const exportFindings = endpoint({
  ...common,
  id: 'exportFindings',
  summary: 'Export findings',
  description:
    'All that the filter matches and the caller sees, ordered by id, as one document. In CSV, cells that a spreadsheet would take for a formula begin with an apostrophe.',
  permission: 'findings:read',
  method: 'POST',
  path: `${base}/export`,
  params: DeploymentParams,
  body: FindingExport,
  response: Type.Unsafe<Download>({ type: 'object', description: 'A document of the format asked for' }),
  download: { mediaTypes: exportMediaTypes },
  faults: ['validation_failed'],
})
