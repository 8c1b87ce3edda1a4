import type { Mutation } from './mutation.ts'

export const deadlinesAndRules: Mutation[] = [
  {
    id: 'deadlines-of-what-stands',
    protection: 'Only what stands on a branch is due: a number of overdue findings counts no settled ones.',
    file: 'src/capabilities/findings/deadlines/store.ts',
    find: 'sql`f.pull_request = 0 and f.state <= ${stateIs.lastOpen}`',
    replace: 'sql`true`',
    tests: ['src/capabilities/findings/deadlines/deadlines.test.ts'],
  },
  {
    id: 'deadlines-version-seen',
    protection: 'Whoever has not seen the deadlines as they are does not replace them.',
    file: 'src/capabilities/findings/deadlines/deadlines.ts',
    find: 'requireVersion(actor, version)',
    replace: '',
    tests: ['src/capabilities/findings/deadlines/deadlines.test.ts'],
  },
  {
    id: 'rules-seen-with-their-findings',
    protection: 'What is said about a rule is told only to whoever sees a finding of it.',
    file: 'src/capabilities/findings/rules/rules.ts',
    find: 'and ${visibleTo(actor, sql`f.repository_id`)})',
    replace: ')',
    tests: ['src/capabilities/findings/rules/rules.test.ts'],
  },
]
