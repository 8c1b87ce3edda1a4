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
]
