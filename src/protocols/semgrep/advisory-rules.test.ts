import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemAdvisory } from '../../capabilities/vulnerabilities/public.ts'
import { advisoryRule } from './advisory-rules.ts'

const advisory = (more: Partial<EcosystemAdvisory>): EcosystemAdvisory => ({
  ids: ['CVE-2021-23337', 'GHSA-35jh-r3h4-6jhm'],
  name: 'lodash',
  ecosystem: 'npm',
  title: 'Command injection.',
  severity: 'high',
  score: 7.2,
  vector: '',
  cwes: ['CWE-94'],
  links: [],
  ranges: [],
  listed: [],
  versions: [],
  ...more,
})

// biome-ignore lint/suspicious/noExplicitAny: a rule may have any shape
const ruleOf = (more: Partial<EcosystemAdvisory>): any => advisoryRule(advisory(more))
const specifiers = (more: Partial<EcosystemAdvisory>): string[] => {
  const on = ruleOf(more)?.['r2c-internal-project-depends-on']
  return (on?.['depends-on-either'] ?? (on ? [on] : [])).map(({ version }: { version: string }) => version)
}
const range = (...events: object[]) => ({ ranges: [{ type: 'SEMVER', events }] })

test('a rule says what is wrong and what to do, and blocks nothing', () => {
  const rule = ruleOf(range({ introduced: '0' }, { fixed: '4.17.21' }))
  assert.equal(rule.id, 'gatehouse.advisory.CVE-2021-23337.npm.lodash')
  assert.match(
    rule.message,
    /^lodash has CVE-2021-23337, GHSA-35jh-r3h4-6jhm: Command injection\. Upgrade to 4\.17\.21\.$/,
  )
  assert.deepEqual(rule['r2c-internal-project-depends-on'], {
    namespace: 'npm',
    package: 'lodash',
    version: '< 4.17.21',
  })
  assert.deepEqual(rule.metadata['dev.semgrep.actions'], [])
  assert.deepEqual(rule.metadata['sca-fix-versions'], [{ lodash: '4.17.21' }])
})

const ranges: [what: string, given: Partial<EcosystemAdvisory>, expected: string[]][] = [
  ['up to a version', range({ introduced: '0' }, { fixed: '2.0.0' }), ['< 2.0.0']],
  ['from one to another', range({ introduced: '1.0.0' }, { fixed: '2.0.0' }), ['>= 1.0.0, < 2.0.0']],
  ['up to and with the last', range({ introduced: '1.0.0' }, { last_affected: '1.9' }), ['>= 1.0.0, <= 1.9']],
  ['without end', range({ introduced: '3.0.0' }), ['>= 3.0.0']],
  ['all', range({ introduced: '0' }), ['>= 0']],
  [
    'two spans of one range',
    range({ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '2.5.0' }),
    ['< 1.0.0', '>= 2.0.0, < 2.5.0'],
  ],
  ['single versions', { listed: ['1.0.0', '1.0.1'] }, ['== 1.0.0', '== 1.0.1']],
  [
    'versions of Go',
    { ecosystem: 'gomod', ...range({ introduced: 'v1.0.0' }, { fixed: 'v1.2.0' }) },
    ['>= 1.0.0, < 1.2.0'],
  ],
  ['commits', { ranges: [{ type: 'GIT', events: [{ introduced: '0' }, { fixed: 'abc' }] }] }, []],
  ['versions that only their ecosystem can order', range({ introduced: '0' }, { fixed: '1.0.0-rc.1' }), []],
]
for (const [what, given, expected] of ranges) {
  test(`the versions that it names: ${what}`, () => assert.deepEqual(specifiers(given), expected))
}

test('an ecosystem that some clients do not know has no rule: one they cannot read would end their run', () => {
  assert.equal(ruleOf({ ecosystem: 'cocoapods', listed: ['1.0.0'] }), undefined)
})

test('two packages never share an id', () => {
  const id = (name: string) => ruleOf({ name, listed: ['1.0.0'] }).id
  assert.notEqual(id('@acme/a'), id('-acme-a'))
  assert.match(id('@acme/a'), /^[A-Za-z0-9._-]+$/)
})
