import type { Mutation } from './mutation.ts'

const runs = ['src/protocols/semgrep/runs.test.ts']
const rules = ['src/protocols/semgrep/rules.test.ts']
const packages = ['src/protocols/semgrep/packages.test.ts']
const reader = ['src/formats/semgrep-results/reader.test.ts']
const service = 'src/protocols/semgrep/runs.ts'

export const semgrep: Mutation[] = [
  {
    id: 'semgrep-only-rules-that-ran',
    protection: 'What a rule of Semgrep found is fixed only by a run of that rule.',
    file: service,
    find: '      ran.has(ruleId) && !failed',
    replace: '      !failed',
    tests: runs,
  },
  {
    id: 'semgrep-only-files-to-their-end',
    protection: 'In a file that Semgrep could not read to its end nothing is fixed.',
    file: service,
    find: '&& !failed.has(path) &&',
    replace: '&&',
    tests: runs,
  },
  {
    id: 'semgrep-only-files-searched',
    protection: 'In a file that a full scan of Semgrep did not look at nothing is fixed.',
    file: service,
    find: '(looked.has(path) || !whole)',
    replace: '(looked.has(path) || true)',
    tests: runs,
  },
  {
    id: 'semgrep-changes-fix-nothing',
    protection: 'A scan of what changed on a branch fixes nothing there.',
    file: service,
    find: 'closes: whole || pullRequest > 0,',
    replace: 'closes: true,',
    tests: runs,
  },
  {
    id: 'semgrep-run-decided-afresh',
    protection: 'A run that finds what an earlier one found is decided by the policies of now.',
    file: service,
    find: '      run: String(id),\n      completeness',
    replace: '      completeness',
    tests: runs,
  },
  {
    id: 'semgrep-number-takes-no-part',
    protection: 'The number behind the id of a match takes no part in what a finding is recognised by.',
    file: 'src/formats/semgrep-results/to-sarif.ts',
    find: '/^([0-9a-f]{32,200})_[0-9]+$/',
    replace: '/^([0-9a-f]{32,200}_[0-9]+)$/',
    tests: reader,
  },
  {
    id: 'semgrep-no-hash-of-secrets',
    protection: 'The hash of a secret that Semgrep sends is not kept.',
    file: 'src/formats/semgrep-results/reader.ts',
    find: 'return shows ? finding :',
    replace: 'return',
    tests: reader,
  },
  {
    id: 'semgrep-all-equal-matches-ignored',
    protection: 'The client is told of a decision only if it is about all equal matches.',
    file: 'src/capabilities/findings/ingest/tool-ids.ts',
    find: 'having bool_and(f.state = ${stateIs.ignored})',
    replace: 'having bool_or(f.state = ${stateIs.ignored})',
    tests: runs,
  },
  {
    id: 'semgrep-rules-block-nothing',
    protection: 'No rule blocks by itself: policies and automations decide.',
    file: 'src/protocols/semgrep/rules.ts',
    find: '.map(({ definition }) => withoutBlocking(definition))',
    replace: '.map(({ definition }) => definition)',
    tests: rules,
  },
  {
    id: 'semgrep-disabled-rules-left-out',
    protection: 'A rule that the policy disables is not handed out.',
    file: 'src/protocols/semgrep/rules.ts',
    find: "modeOf(ruleId) !== 'disabled'",
    replace: "modeOf(ruleId) !== 'block-all'",
    tests: rules,
  },
  {
    id: 'semgrep-no-sign-in-by-link',
    protection: 'Nobody is signed in by a link that somebody else may have made.',
    file: 'src/protocols/semgrep/links.ts',
    find: "  { method: 'POST', path: '/api/agent/tokens/requests', message: byLink },\n",
    replace: '',
    tests: runs,
  },
  {
    id: 'semgrep-unread-lockfiles-stay',
    protection: 'A lockfile that Semgrep could not read stays in the inventory as it was.',
    file: service,
    find: 'new Map([...unread, ...lockfiles]',
    replace: 'new Map([...lockfiles]',
    tests: packages,
  },
]
