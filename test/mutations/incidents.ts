import type { Mutation } from './mutation.ts'

const history = 'src/proxy/release-history.ts'
const recommended = 'src/capabilities/firewall/rules/recommended-rules.ts'
const npmTests = ['src/proxy/npm/release-facts.test.ts']
const replay = ['test/incident-replay.test.ts']

export const incidents: Mutation[] = [
  {
    id: 'signals-settled',
    protection: 'The second version of an attack is not compared with the first.',
    file: history,
    find: '  return settled.length > 0 ? settled : history.slice(0, at)\n',
    replace: '  return settled.length > 1e9 ? settled : history.slice(0, at)\n',
    tests: [...npmTests, 'src/proxy/pypi/release-facts.test.ts'],
  },
  {
    id: 'signals-burst-of-a-branch',
    protection: 'A fix for several branches is not taken for a burst.',
    file: history,
    find: 'near.filter((one) => majorOf(one.version) === majorOf(version))',
    replace: 'near',
    tests: npmTests,
  },
  {
    id: 'recommended-age-everywhere',
    protection: 'The recommended age gate holds young crates too.',
    file: recommended,
    find: "['npm', 'pypi', 'maven', 'cargo', 'gomod']",
    replace: "['npm', 'pypi', 'maven']",
    tests: replay,
  },
  {
    id: 'recommended-silence-warns',
    protection: 'The first release for a year is not held longer than others.',
    file: recommended,
    find: "signals: ['new_publisher', 'sudden_size', 'burst', 'scope_burst'],",
    replace: "signals: ['new_publisher', 'long_silence', 'sudden_size', 'burst', 'scope_burst'],",
    tests: replay,
  },
]
