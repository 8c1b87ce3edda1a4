import Type, { type Static } from 'typebox'
import {
  documentedAs,
  IdString,
  NamedObject,
  named,
  OneOf,
  RepositoryName,
  Timestamp,
} from '../../../kernel/contract/schema.ts'
import { guardrailsFigures, stageProducts, stages } from '../cell.ts'
import {
  CategoryName,
  ConfidenceLevel,
  DecidedBy,
  ProductType,
  Reachability,
  Reason,
  SeverityLevel,
  State,
  Validity,
} from '../finding.ts'

const Period = NamedObject('MomentRange', {
  since: Type.Optional({ ...Timestamp, description: 'From this moment on' }),
  until: Type.Optional({ ...Timestamp, description: 'Up to, and not including, this moment' }),
})

export const happenings = ['fixed', 'reopened', 'ignored', 'provisionallyIgnored'] as const
export type Happening = (typeof happenings)[number]

function anyOf<Schema extends Type.TSchema>(schema: Schema, description: string, maxItems = 100) {
  return Type.Optional(Type.Array(schema, { minItems: 1, maxItems, description }))
}

const WantedDependency = NamedObject(
  'DependencyOfFinding',
  {
    ecosystem: Type.Optional(Type.String({ maxLength: 50, description: 'For example npm; any by default' })),
    name: Type.String({ minLength: 1, maxLength: 500, description: 'Name of the package' }),
    version: Type.Optional(Type.String({ maxLength: 200, description: 'The installed version; any by default' })),
  },
  { description: 'About this dependency' },
)

const Assignee = named(
  'Assignee',
  Type.String({ pattern: '^(me|none|[0-9]{1,16})$', description: 'Id of a person, `me` for the caller, or `none`' }),
)

const word = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

const parts = {
  triageStates: anyOf(State, 'In one of these states'),
  triageReasons: anyOf(Reason, 'With one of these reasons'),
  severities: anyOf(SeverityLevel, 'Of one of these severities'),
  products: anyOf(ProductType, 'Of one of these kinds'),
  confidences: anyOf(ConfidenceLevel, 'Of one of these confidences'),
  reachabilities: anyOf(Reachability, 'Of one of these reachabilities'),
  validities: anyOf(Validity, 'Of one of these validities'),
  categories: anyOf(CategoryName, 'Of one of these categories'),
  repositoryIds: anyOf(IdString, 'In one of these repositories', 1_000),
  repositories: anyOf(RepositoryName, 'In one of these repositories, by name', 1_000),
  tags: anyOf(word(200, 'A tag'), 'In repositories that carry one of these tags'),
  refs: anyOf(word(250, 'A branch or tag'), 'On one of these branches'),
  pullRequests: Type.Optional(
    OneOf(['only', 'none'], 'Only what was raised for pull requests, or nothing of it; both by default'),
  ),
  pullRequest: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Raised for the pull request of this number' }),
  ),
  once: Type.Optional(
    Type.Boolean({
      description:
        'Findings on several branches of a repository count once, and of pull requests only those that they introduced, as in reports',
    }),
  ),
  silenced: Type.Optional(Type.Boolean({ description: 'Whether it is hidden from its pull request' })),
  malicious: Type.Optional(Type.Boolean({ description: 'Whether it is a malicious dependency' })),
  sources: anyOf(word(300, 'A source'), 'From one of these sources, for example sarif:semgrep'),
  ruleIds: anyOf(
    Type.String({ maxLength: 500, description: 'Id of a rule; empty for findings that name none' }),
    'By one of these rules',
    500,
  ),
  cwes: anyOf(word(50, 'A weakness'), 'With one of these weaknesses, for example CWE-79'),
  vulnerabilityIds: anyOf(word(100, 'Id of a vulnerability'), 'About one of these vulnerabilities'),
  pathPrefix: Type.Optional(word(1_000, 'In files whose path begins like this')),
  text: Type.Optional(word(500, 'Titles or messages that contain this, in any letter case')),
  raisedAt: Type.Optional(Period),
  fixedAt: Type.Optional(Period),
  happened: Type.Optional(
    OneOf(happenings, 'Became so at some time, as the activity report counts, whatever became of it since'),
  ),
  happenedAt: Type.Optional({ ...Period, description: 'When that was; without `happened`, any change of state' }),
  standingAt: Type.Optional({
    ...Timestamp,
    description:
      'Stood on a branch at this moment, each thing once, neither fixed nor ignored: a point of the trends report',
  }),
  findingIds: anyOf(IdString, 'One of these', 1_000),
  teams: anyOf(
    word(200, 'Slug or name of a team'),
    'In repositories of one of these teams, or of the teams below them; by slug or name',
  ),
  publiclyExposed: Type.Optional(
    Type.Boolean({ description: 'In repositories that are, or are not, publicly exposed' }),
  ),
  archived: Type.Optional(
    Type.Boolean({ description: 'In repositories that are, or are not, archived; both by default' }),
  ),
  stage: Type.Optional(OneOf(stages, 'Has come as far as this stage of the funnel; its period is raisedAt')),
  stageProduct: Type.Optional(OneOf(stageProducts, 'Of one of the three parts of the funnel')),
  guardrailsFigure: Type.Optional(
    OneOf(guardrailsFigures, 'Counted by this number of the guardrails report; its period is raisedAt'),
  ),
  scanIds: anyOf(IdString, 'Raised by one of these scans'),
  dependency: Type.Optional(WantedDependency),
  decidedBy: anyOf(DecidedBy, 'Put into their state by one of these'),
  hasTicket: Type.Optional(Type.Boolean({ description: 'Whether it has a ticket' })),
  overdue: Type.Optional(
    Type.Boolean({ description: 'Whether it has been open on a branch for longer than its severity allows' }),
  ),
  assignees: anyOf(Assignee, 'Looked after by one of these people'),
  paths: anyOf(word(1_000, 'A path'), 'In one of these files'),
  firstVulnerabilityIds: anyOf(
    word(100, 'Id of a vulnerability'),
    'About vulnerabilities whose most important id is one of these: what a group by vulnerability holds',
  ),
  owasp: anyOf(word(100, 'An OWASP category'), 'With one of these OWASP categories, for example A03:2021'),
}

/** In the document it is the filter itself, which would otherwise stand there twice. */
const Excluded = documentedAs('FindingFilter', parts, {
  description: 'None of these may hold; the fields are those of the filter, without `not`',
})

/** All parts must hold; of a list, one entry. */
export const FindingFilter = NamedObject('FindingFilter', { ...parts, not: Type.Optional(Excluded) })
export type FindingFilter = Static<typeof FindingFilter>
export type FindingFilterParts = Static<typeof Excluded>

export const Sort = NamedObject('FindingSort', {
  by: Type.Optional(
    OneOf(
      ['raisedAt', 'severity', 'stateChangedAt', 'path', 'repository', 'rule'],
      'raisedAt by default; findings of one severity by raisedAt, those of one repository or rule the newest first; paths by their first 200 characters',
    ),
  ),
  direction: Type.Optional(
    OneOf(['desc', 'asc'], 'desc by default: newest or most severe first, names from the end of the alphabet'),
  ),
})
export type Sort = Static<typeof Sort>
