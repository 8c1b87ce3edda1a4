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
    id: 'deadlines-counted-of-what-is-seen',
    protection: 'A number of overdue findings counts only repositories that its reader sees.',
    file: 'src/capabilities/findings/deadlines/overdue-store.ts',
    find: '    ${inRepositories(actor, wanted)} offset 0) f`',
    replace: '    offset 0) f`',
    tests: ['src/capabilities/findings/deadlines/deadlines.test.ts'],
  },
  {
    id: 'deadlines-counted-by-the-shorter-while',
    protection: 'A backlog of years is not read to count what of it is overdue.',
    file: 'src/capabilities/findings/deadlines/overdue-store.ts',
    find: 'own.at - oldest.raised_at > now() - own.at as is_long',
    replace: 'false as is_long',
    tests: ['test/fresh-database.test.ts'],
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
