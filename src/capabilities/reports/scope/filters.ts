import Type, { type Static } from 'typebox'
import { IdString, NamedObject, OneOf, RepositoryName } from '../../../kernel/contract/schema.ts'
import { TimeBucketSizeFilter, TimePeriodFilter, WholeDaysFilter } from '../../../kernel/time/time-buckets.ts'
import { categoryNames } from '../counting/cell.ts'

const several = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Optional(Type.Array(schema, { maxItems: 10_000, description }))

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

/** All parts must hold; of a list, one entry. An empty list asks for nothing. */
export const ReportFilters = NamedObject(
  'ReportFilters',
  {
    timePeriod: Type.Optional(TimePeriodFilter),
    timeBucketSize: Type.Optional(TimeBucketSizeFilter),
    wholeDays: Type.Optional(WholeDaysFilter),
    projects: several(RepositoryName, 'In one of these repositories, by name'),
    projectIds: several(IdString, 'In one of these repositories, by id'),
    tags: several(text(200, 'A tag'), 'In repositories that carry one of these tags'),
    teams: several(
      text(200, 'Slug or name of a team'),
      'In repositories of one of these teams, or of the teams below them; by slug or name',
    ),
    archived: Type.Optional(
      Type.Boolean({ description: 'In repositories that are, or are not, archived; both by default' }),
    ),
    ruleIds: several(
      Type.String({ maxLength: 500, description: 'Id of a rule; empty for findings that name none' }),
      'By one of these rules, as their tools call them',
    ),
    findingCategories: several(
      OneOf(categoryNames, 'A category; empty where the tool does not say'),
      'Of one of these categories',
    ),
  },
  { description: 'All parts must hold; of a list, one entry. An empty list asks for nothing' },
)
export type ReportFilters = Static<typeof ReportFilters>
