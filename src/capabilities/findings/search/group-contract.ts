import Type, { type Static } from 'typebox'
import * as names from '../../../domain/wire-names.ts'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { Count, DeploymentParams, NamedObject, OneOf, Timestamp } from '../../../kernel/contract/schema.ts'
import { SeverityLevel } from '../finding.ts'
import { FindingFilter } from './filter.ts'

const base = '/api/findings/:deploymentId/findings'
const common = {
  tag: 'Findings',
  stability: 'beta',
  security: 'both',
  permission: 'findings:read',
  method: 'POST',
  params: DeploymentParams,
  faults: ['validation_failed'],
} as const

export const facetFields = [
  'triageStates',
  'triageReasons',
  'severities',
  'products',
  'confidences',
  'reachabilities',
  'validities',
  'categories',
  'decidedBy',
  'assignees',
  'repositories',
  'tags',
  'teams',
  'refs',
  'sources',
  'ruleIds',
  'cwes',
  'owasp',
  'vulnerabilityIds',
  'dependencies',
  'paths',
] as const
export type FacetField = (typeof facetFields)[number]

export const FacetRequest = NamedObject('FacetRequest', {
  filter: Type.Optional(FindingFilter),
  fields: Type.Array(OneOf(facetFields, 'A field of the filter'), {
    minItems: 1,
    maxItems: facetFields.length,
    description: 'Whose values are counted',
  }),
  contains: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only values that contain this, in any letter case' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Most values of a field; 20 by default' }),
  ),
})
export type FacetRequest = Static<typeof FacetRequest>

const FacetValue = NamedObject('FacetValue', {
  value: Type.String({ description: 'As the filter takes it; of dependencies the name' }),
  label: Type.String({
    description:
      'Title of a rule, name of a team or person, ecosystem of a dependency, id of a repository; otherwise empty',
  }),
  count: Count,
})
export type FacetValue = Static<typeof FacetValue>

const Facet = NamedObject('Facet', {
  field: OneOf(facetFields, 'The field'),
  values: Type.Array(FacetValue, { description: 'Those with most findings first' }),
  hasMore: Type.Boolean({ description: 'Whether there are more values' }),
})
export type Facet = Static<typeof Facet>

export const facetFindings = endpoint({
  ...common,
  id: 'facetFindings',
  summary: 'Count the values of fields of findings',
  description:
    'Of the findings that the caller sees and that the filter matches, each field counted without its own part of the filter. Also completes what is typed: rules, repositories, packages, paths, branches.',
  path: `${base}/facets`,
  body: FacetRequest,
  response: Type.Object({ facets: Type.Array(Facet, { description: 'In the order asked for' }) }),
})

export const groupings = ['rule', 'vulnerability', 'package', 'repository', 'path'] as const
export type Grouping = (typeof groupings)[number]

export const GroupRequest = NamedObject('GroupRequest', {
  filter: Type.Optional(FindingFilter),
  by: OneOf(groupings, 'What the findings of a group have in common'),
  sort: Type.Optional(
    OneOf(['severity', 'count', 'oldest'], 'The most severe, most frequent or oldest first; severity by default'),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Most entries a page, 1 to 100; 50 by default' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 3_000, description: 'The cursor of the page before; empty or absent starts' }),
  ),
})
export type GroupRequest = Static<typeof GroupRequest>

function countOf(all: readonly string[], description: string) {
  return Type.Object(Object.fromEntries(all.map((name) => [name, Count])), { description })
}

export const FindingGroup = NamedObject('FindingGroup', {
  value: Type.String({
    description: 'Id of the rule or vulnerability, name of the package or repository, or the path',
  }),
  label: Type.String({ description: 'Title of a rule or vulnerability, ecosystem of a package; otherwise empty' }),
  filter: { ...FindingFilter, description: 'Together with the filter of the request: exactly these findings' },
  total: Count,
  worstSeverity: SeverityLevel,
  bySeverity: countOf(names.severityNames.all, 'By severity'),
  byTriageState: countOf(names.stateNames.all, 'By state'),
  repositories: Type.Integer({ minimum: 1, description: 'In how many repositories' }),
  oldestRaisedAt: Timestamp,
})
export type FindingGroup = Static<typeof FindingGroup>

export const groupFindings = endpoint({
  ...common,
  id: 'groupFindings',
  summary: 'Group findings',
  description:
    'Of the findings that the caller sees and that the filter matches. Findings that name no vulnerability, package or path are in no such group. A cursor belongs to its deployment, filter, grouping and sort.',
  path: `${base}/groups`,
  body: GroupRequest,
  response: Type.Object({
    groups: Type.Array(FindingGroup, { description: 'A page of groups' }),
    hasMore: Type.Boolean({ description: 'Whether there are groups after this page' }),
    cursor: Type.String({ description: 'Where the next page starts; empty on the last one' }),
  }),
})
