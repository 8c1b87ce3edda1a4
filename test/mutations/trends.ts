import type { Mutation } from './mutation.ts'

export const trends: Mutation[] = [
  {
    id: 'trends-only-what-is-seen',
    protection: 'The backlog over time counts the findings of repositories that the caller sees',
    file: 'src/capabilities/reports/trends/trend-store.ts',
    find: 'const selection = { ...among(wanted), categories: wanted.categories, by: wayAmong(wanted, [period]) }',
    replace:
      "const selection = { repositories: undefined, rules: among(wanted).rules, categories: wanted.categories, by: 'time' as const }",
    tests: ['src/capabilities/reports/trends/trends.test.ts'],
  },
  {
    id: 'trends-by-days-only-what-is-seen',
    protection: 'Counters of days are those of repositories that the caller sees',
    file: 'src/capabilities/reports/counting/day-store.ts',
    find: 'repositories ? sql`= any(${repositories}::bigint[])` : sql`= 0`',
    replace: 'sql`= 0`',
    tests: ['src/capabilities/reports/trends/trends.test.ts'],
  },
  {
    id: 'days-of-older-processes-are-due',
    protection: 'Days that a process of the release before has not counted are not read',
    file: 'src/capabilities/reports/counting/day-store.ts',
    find: 'if (rows[0]?.due) return undefined',
    replace: '',
    tests: ['src/capabilities/reports/trends/trends.test.ts'],
  },
  {
    id: 'days-follow-marks',
    protection: 'The history of what stands elsewhere too is not counted twice in the backlog of the past',
    file: 'src/capabilities/findings/counters/counter-changes.ts',
    find: 'enterStood(pending.days, stood)',
    replace: '',
    tests: ['src/capabilities/reports/pull-requests.test.ts'],
  },
  {
    id: 'activity-raised-once',
    protection: 'A finding that a counter has is not counted again among those that none has',
    file: 'src/capabilities/reports/activity-store.ts',
    find: 'sql`and f.cell < 32 and f.cell & 7 = 0`',
    replace: 'sql`and f.cell < 32`',
    tests: ['src/capabilities/reports/companions.test.ts'],
  },
  {
    id: 'backlog-graded-once',
    protection: 'What stands on several branches is once in the severities of the backlog',
    file: 'src/capabilities/findings/counters/day-changes.ts',
    find: 'const stands = ({ cell }: Place) => cell >= 32',
    replace: 'const stands = ({ cell, kind }: Place) => (cell & 7) === 0 && (kind & 15) <= 5',
    tests: ['src/capabilities/reports/pull-requests.test.ts'],
  },
]
