import type { Mutation } from './mutation.ts'

const merging = ['src/capabilities/findings/counters/counter-merging.test.ts']

export const counters: Mutation[] = [
  {
    id: 'counters-wait-for-what-is-sent',
    protection: 'Counters move by what memories decided, also where nobody waited for it.',
    file: 'src/capabilities/findings/counters/counter-changes.ts',
    find: '  await Promise.all(coming)\n',
    replace: '',
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
  {
    id: 'counters-upgrade',
    protection:
      'An upgrade keeps the counters of every deployment, also where the owner of the tables is not a superuser.',
    file: 'migrations/0040_one_rollup.sql',
    find: 'alter table finding_count no force row level security;',
    replace: '',
    tests: ['src/capabilities/findings/counters/upgrade.test.ts'],
  },
  {
    id: 'counters-merge-repository',
    protection: 'A repository is not deleted while its counters are merged, so none of them outlives it.',
    file: 'src/capabilities/findings/counters/counter-merging.ts',
    find: 'const existing = await withIds(tx, tx.actor, repositories)',
    replace: 'const existing = repositories',
    tests: merging,
  },
  {
    id: 'counters-merge-deleted',
    protection: 'Of counters that are merged none is lost or counted twice: the sum is of the rows that were deleted.',
    file: 'migrations/0130_functions_on_citus.sql',
    find: 'from taken t group by t.repository_id, t.rule_id, t.category, t.grain, t.starts_at',
    replace:
      'from finding_count t where t.deployment_id = deployment group by t.repository_id, t.rule_id, t.category, t.grain, t.starts_at',
    tests: merging,
  },
  {
    id: 'counters-merge-what-it-took',
    protection: 'Two that merge counters at once without waiting for each other count nothing twice.',
    file: 'migrations/0130_functions_on_citus.sql',
    find: 'from taken t group by t.repository_id, t.rule_id, t.category, t.grain, t.starts_at',
    replace:
      'from (select c.* from finding_count c join unnest(key.repositories, key.rules, key.categories, key.grains, key.starts) as k (repository_id, rule_id, category, grain, starts_at) using (repository_id, rule_id, category, grain, starts_at) where c.deployment_id = deployment) t group by t.repository_id, t.rule_id, t.category, t.grain, t.starts_at',
    tests: merging,
  },
  {
    id: 'tallies-merge-what-it-took',
    protection: 'Two that merge tallies at once without waiting for each other count nothing twice.',
    file: 'migrations/0130_functions_on_citus.sql',
    find: 'from taken t group by t.repository_id, t.kind',
    replace:
      'from (select c.* from finding_tally c join unnest(key.repositories, key.kinds) as k (repository_id, kind) using (repository_id, kind) where c.deployment_id = deployment) t group by t.repository_id, t.kind',
    tests: merging,
  },
  {
    id: 'counters-merge-alone',
    protection: 'Counters that several processes merge at once end in one row each.',
    file: 'src/capabilities/findings/counters/counter-merging.ts',
    find: '  await store.lockMerging(tx)\n',
    replace: '',
    tests: merging,
  },
  {
    id: 'counters-funnel-changes',
    protection: 'A report counts changes that only say how far findings came in the funnel.',
    file: 'src/capabilities/reports/counting/figures.ts',
    find: '(c.code_standing | c.code_exploitable | c.code_exposed | c.code_priority |',
    replace: '(c.code_standing |',
    tests: ['src/capabilities/reports/changes.test.ts'],
  },
  {
    id: 'issue-counters-at-the-end',
    protection: 'Whoever decides about an issue waits for others only while their counters are written and committed.',
    file: 'src/capabilities/issues/search/count-store.ts',
    find: 'tx.atEnd(async () => moveCounters(tx, noted))',
    replace: 'void Promise.all(moveCounters(tx, noted).map((moved) => tx.query(moved)))',
    tests: ['src/capabilities/issues/triage.test.ts'],
  },
]
