import type { Mutation } from './mutation.ts'

export const trends: Mutation[] = [
  {
    id: 'trends-only-what-is-seen',
    protection: 'The backlog over time counts the findings of repositories that the caller sees',
    file: 'src/capabilities/reports/trends/trend-store.ts',
    find: 'from finding f where ${counted(db, wanted)} and f.raised_at',
    replace: 'from finding f where ${counted(db, { ...wanted, repositories: undefined })} and f.raised_at',
    tests: ['src/capabilities/reports/trends/trends.test.ts'],
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
    file: 'src/capabilities/reports/backlog/backlog-store.ts',
    find: 'const isStanding = sql`${onBranch} and ${funnelFigures.counted}`',
    replace: 'const isStanding = onBranch',
    tests: ['src/capabilities/reports/pull-requests.test.ts'],
  },
]
