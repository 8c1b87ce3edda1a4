import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Question } from '../verdicts/verdict.ts'
import { versionKey } from '../version-key.ts'
import type { KnownVulnerability } from './known-package.ts'
import { plainFacts, type ReleaseFacts } from './release-facts.ts'
import type { Rule } from './rule.ts'
import { createRuleList } from './rule-list.ts'
import { ruleSentence } from './rule-sentence.ts'

const now = new Date('2026-11-15T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

function rule(fields: Partial<Rule>): Rule {
  return {
    id: 1,
    ecosystems: ['npm'],
    names: [],
    condition: 'always',
    effect: 'refuse',
    mode: 'enforce',
    note: '',
    ...fields,
  }
}

function vulnerability(fields: Partial<KnownVulnerability>): KnownVulnerability {
  const upper = { key: ecosystems.npm.orderKey('1.2.4'), inclusive: false }
  return {
    id: 'GHSA-1',
    severity: 'high',
    fixed: '1.2.4',
    interval: { upper },
    isExploited: false,
    isUrgent: false,
    ...fields,
  }
}

const asked: Question = {
  ecosystem: 'npm',
  name: 'lib',
  version: '1.2.3',
  publishedAt: hoursAgo(10),
  facts: plainFacts,
  vulnerabilities: [],
}
const decide = (rules: Partial<Rule>[], question: Partial<Question> = {}) =>
  createRuleList(rules.map((fields, at) => rule({ id: at + 1, ...fields }))).decide({ ...asked, ...question }, now)
const facts = (more: Partial<ReleaseFacts>): Partial<Question> => ({ facts: { ...plainFacts, ...more } })
const inUse = ({ given = [], present = [] }: { given?: string[]; present?: string[] }): Partial<Question> => {
  const keys = (versions: string[]) => new Set(versions.map((version) => versionKey('npm', version)))
  return { inUse: { given: keys(given), present: keys(present) } }
}
const script = {
  signals: [{ signal: 'new_install_script' as const, because: 'It gains an install script (postinstall)' }],
}
const signal: Partial<Rule> = { condition: 'release_signal', signals: ['new_install_script'], effect: 'hold' }

type Word = 'refused' | 'allowed' | 'nothing' | 'open' | 'watched' | 'warned'
const cases: [what: string, rules: Partial<Rule>[], question: Partial<Question>, outcome: Word, reason?: RegExp][] = [
  ['no rule', [], {}, 'nothing'],
  ['a rule of another ecosystem', [{ ecosystems: ['pypi'] }], {}, 'nothing'],
  ['a name', [{ names: ['lib'] }], {}, 'refused', /keeps it out.*rule 1/],
  ['another name', [{ names: ['other', '@lib/*'] }], {}, 'nothing'],
  ['a pattern', [{ names: ['li*'] }], {}, 'refused'],
  ['default-deny after an allow-list', [{ names: ['lib'], effect: 'allow' }, {}], {}, 'allowed'],
  ['default-deny', [{ names: ['other'], effect: 'allow' }, {}], {}, 'refused', /rule 2/],
  ['the first that decides', [{ names: ['lib'] }, { names: ['lib'], effect: 'allow' }], {}, 'refused'],
  ['what warns lets the next decide', [{ effect: 'warn' }, {}], {}, 'refused'],
  ['what warns', [{ effect: 'warn' }], {}, 'warned', /^Your organisation warns about it\.$/],
  [
    'what warns, with a note',
    [{ effect: 'warn', note: 'use picocolors' }],
    {},
    'warned',
    /^Your organisation warns about it: use picocolors$/,
  ],
  [
    'what warns of the young',
    [{ condition: 'younger_than', hours: 24, effect: 'warn', note: 'Wait.' }],
    {},
    'warned',
    /^It is younger than 24 hours\. Wait\.$/,
  ],
  [
    'what watches',
    [{ mode: 'monitor' }],
    {},
    'watched',
    /^Your organisation would keep it out\. This is rule 1 of your organisation, which only watches\.$/,
  ],
  [
    'what watches the young',
    [{ condition: 'younger_than', hours: 24, effect: 'hold', mode: 'monitor' }],
    {},
    'watched',
    /^It is younger than 24 hours\. It would be held back until 2026-11-16T02:00/,
  ],
  ['what watches lets the next decide', [{ mode: 'monitor' }, { effect: 'allow', names: ['lib'] }], {}, 'allowed'],
  ['young', [{ condition: 'younger_than', hours: 24, effect: 'hold' }], {}, 'refused', /until 2026-11-16T02:00/],
  ['a year', [{ condition: 'younger_than', hours: 8_760, effect: 'hold' }], {}, 'refused', /younger than 365 days/],
  ['old enough', [{ condition: 'younger_than', hours: 10, effect: 'hold' }], {}, 'nothing'],
  ['of unknown age', [{ condition: 'younger_than', hours: 10, effect: 'hold' }], { publishedAt: undefined }, 'open'],
  ['a signal', [signal], facts(script), 'refused', /install script.*until 2026-11-18T02:00.*rule 1/],
  ['a signal, held for a while', [{ ...signal, holdHours: 9 }], facts(script), 'nothing'],
  [
    'a signal, refused for good',
    [{ ...signal, effect: 'refuse' }],
    { ...facts(script), publishedAt: hoursAgo(9999) },
    'refused',
  ],
  ['another signal', [{ ...signal, signals: ['trust_lost'] }], facts(script), 'nothing'],
  ['facts not looked at', [signal], { facts: undefined }, 'open'],
  ['facts not looked at, of what is old', [signal], { facts: undefined, publishedAt: hoursAgo(999) }, 'nothing'],
  ['facts not looked at, where it only watches', [{ ...signal, mode: 'monitor' }], { facts: undefined }, 'nothing'],
  ['a dependency of unknown age', [{ ...signal, signals: ['young_dependency'] }], facts({ gained: ['x'] }), 'open'],
  [
    'an install script',
    [{ condition: 'install_script' }],
    facts({ installScript: 'binding.gyp' }),
    'refused',
    /binding\.gyp/,
  ],
  ['no install script', [{ condition: 'install_script' }], {}, 'nothing'],
  [
    'an exotic dependency',
    [{ condition: 'exotic_dependency' }],
    facts({ exoticDependency: 'x@github:a/b' }),
    'refused',
  ],
  ['deprecated', [{ condition: 'deprecated' }], facts({ deprecated: 'use that' }), 'refused', /use that/],
  [
    'a licence on the list',
    [{ condition: 'licence', licences: ['gpl-3.0-only'], licencesAre: 'listed' }],
    facts({ licence: 'GPL-3.0-only' }),
    'refused',
  ],
  [
    'a licence on the list that applies beside another',
    [{ condition: 'licence', licences: ['gpl-3.0-only'], licencesAre: 'listed' }],
    facts({ licence: 'MIT AND GPL-3.0-only' }),
    'refused',
    /GPL/,
  ],
  [
    'a licence on the list in place of which one may choose another',
    [{ condition: 'licence', licences: ['gpl-3.0-only'], licencesAre: 'listed' }],
    facts({ licence: 'MIT OR GPL-3.0-only' }),
    'nothing',
  ],
  [
    'a licence not on the list',
    [{ condition: 'licence', licences: ['MIT'], licencesAre: 'not_listed' }],
    facts({ licence: 'GPL-3.0-only' }),
    'refused',
    /GPL/,
  ],
  [
    'a choice of licences',
    [{ condition: 'licence', licences: ['MIT'], licencesAre: 'not_listed' }],
    facts({ licence: '(GPL-3.0-only OR MIT)' }),
    'nothing',
  ],
  [
    'no licence',
    [{ condition: 'licence', licences: ['MIT'], licencesAre: 'not_listed' }],
    {},
    'refused',
    /names no licence/,
  ],
  [
    'vulnerable',
    [{ condition: 'vulnerability', severity: 'high' }],
    { vulnerabilities: [vulnerability({})] },
    'refused',
    /GHSA-1 \(high\).*1\.2\.4 fixes/,
  ],
  [
    'vulnerable, less than that',
    [{ condition: 'vulnerability', severity: 'critical' }],
    { vulnerabilities: [vulnerability({})] },
    'nothing',
  ],
  [
    'the fixed version',
    [{ condition: 'vulnerability', severity: 'low' }],
    { version: '1.2.4', vulnerabilities: [vulnerability({})] },
    'nothing',
  ],
  [
    'vulnerable without a fix',
    [{ condition: 'vulnerability', severity: 'low', fixAvailable: true }],
    { vulnerabilities: [vulnerability({ fixed: '' })] },
    'nothing',
  ],
  [
    'vulnerabilities not looked up',
    [{ condition: 'vulnerability', severity: 'low' }],
    { vulnerabilities: undefined },
    'open',
  ],
  ['what clients were given, spared', [{ spareInUse: true }], inUse({ given: ['1.2.3'] }), 'nothing'],
  ['what clients were given, not spared', [{}], inUse({ given: ['1.2.3'] }), 'refused'],
  ['what repositories have, spared', [{ spareInUse: true }], inUse({ present: ['v1.2.3'] }), 'nothing'],
  ['another version than they have', [{ spareInUse: true }], inUse({ given: ['1.2.2'] }), 'refused'],
  ['what is in use, not looked up', [{ spareInUse: true }], {}, 'refused'],
  [
    'what is held and only in a repository',
    [{ ...signal, spareInUse: true }],
    { ...facts(script), ...inUse({ present: ['1.2.3'] }) },
    'refused',
  ],
  [
    'what is held and was given',
    [{ ...signal, spareInUse: true }],
    { ...facts(script), ...inUse({ given: ['1.2.3'] }) },
    'nothing',
  ],
  ['a typosquat', [{ condition: 'typosquat' }], { name: 'lodahs' }, 'refused', /lodash/],
  ['a typosquat not looked at', [{ condition: 'typosquat' }], { name: 'lodahs', facts: undefined }, 'open'],
  [
    'a like name of long ago',
    [{ condition: 'typosquat' }],
    { name: 'lodahs', ...facts({ bornAt: hoursAgo(9_000).getTime() }) },
    'nothing',
  ],
  ['the real name', [{ condition: 'typosquat' }], { name: 'lodash' }, 'nothing'],
  [
    'a typosquat of a name that is private',
    [{ condition: 'typosquat' }],
    { name: 'acme-tool', near: { name: 'acme-tools', isPrivate: true } },
    'refused',
    /acme-tools, which belongs to you/,
  ],
  [
    'a vulnerability that is not known to be exploited',
    [{ condition: 'vulnerability', severity: 'low', exploited: true }],
    { version: '1.2.3', vulnerabilities: [vulnerability({})] },
    'nothing',
  ],
  [
    'a vulnerability that is known to be exploited',
    [{ condition: 'vulnerability', severity: 'low', exploited: true }],
    { version: '1.2.3', vulnerabilities: [vulnerability({ isExploited: true })] },
    'refused',
    /high, known to be exploited/,
  ],
]

for (const [what, rules, question, outcome, reason] of cases) {
  test(`${what}: ${outcome}`, () => {
    const found = decide(rules, question)
    const word: Word = found.refused
      ? 'refused'
      : found.allowed
        ? 'allowed'
        : found.isOpen
          ? 'open'
          : found.watched
            ? 'watched'
            : found.warnings.length > 0
              ? 'warned'
              : 'nothing'
    assert.equal(word, outcome)
    if (reason) assert.match((found.refused ?? found.watched)?.reason ?? found.warnings.join(' '), reason)
  })
}

test('an age gate lifts for the urgent fix of what the deployment has, unless the release is unusual', () => {
  const gate: Partial<Rule>[] = [{ condition: 'younger_than', hours: 24, effect: 'hold' }]
  const urgent = { version: '1.2.4', vulnerabilities: [vulnerability({ isUrgent: true })] }
  assert.equal(decide(gate, urgent).refused, undefined)
  assert.ok(decide(gate, { ...urgent, version: '1.2.5' }).refused, 'another version is not the fix')
  assert.ok(decide(gate, { ...urgent, vulnerabilities: [vulnerability({})] }).refused, 'nobody here has it')
  const others = [vulnerability({ isUrgent: true, fixed: '1.3.0' }), vulnerability({})]
  assert.ok(decide(gate, { ...urgent, vulnerabilities: others }).refused, 'it fixes only what nobody here has')
  assert.ok(decide(gate, { ...urgent, ...facts(script) }).refused, 'the release is unusual')
  assert.equal(decide(gate, { ...urgent, facts: undefined }).isOpen, true)
  const fetched = { ...urgent, digest: 'd1' }
  assert.partialDeepStrictEqual(decide(gate, fetched), { lacks: 'archive' }, 'its archive decides when it is fetched')
  assert.equal(decide(gate, { ...fetched, archive: { signals: [] } }).refused, undefined)
  const seen = { signals: [{ signal: 'new_install_script' as const, because: 'It gains one' }] }
  assert.ok(decide(gate, { ...fetched, archive: seen }).refused, 'its archive is unusual')
  assert.ok(decide(gate, { ...fetched, archive: { signals: [], isUnreadable: true } }).refused, 'nobody can read it')
  const maven = createRuleList([rule({ ...gate[0], ecosystems: ['maven'] })])
  assert.ok(maven.decide({ ...asked, ...urgent, ecosystem: 'maven', name: 'a:b' }, now).refused)
})

test('a name is refused as a whole where the first word about it is a refusal without a condition', () => {
  const list = (...rules: Partial<Rule>[]) => createRuleList(rules.map((fields, at) => rule({ id: at + 1, ...fields })))
  assert.equal(list({ names: ['li*'] }).refusesName('npm', 'lib')?.ruleId, 1)
  assert.equal(list({ effect: 'allow', names: ['lib'] }, {}).refusesName('npm', 'lib'), undefined)
  assert.equal(list({ effect: 'allow', names: ['lib'] }, {}).refusesName('npm', 'other')?.ruleId, 2)
  assert.equal(list({ condition: 'install_script' }, {}).refusesName('npm', 'lib'), undefined)
  assert.equal(list({ mode: 'monitor' }).refusesName('npm', 'lib'), undefined)
  assert.equal(list({}).refusesName('pypi', 'lib'), undefined)
})

test('a rule can be read as a sentence', () => {
  const sentences: [Partial<Rule>, string][] = [
    [{ names: ['@ours/*', 'react'], effect: 'allow' }, 'Let in @ours/* and react of npm.'],
    [{ ecosystems: ['npm', 'pypi'] }, 'Refuse every npm and PyPI package that no rule above lets in.'],
    [
      { condition: 'younger_than', hours: 24, effect: 'hold' },
      'Hold back every npm package while the version is younger than 24 hours.',
    ],
    [
      { condition: 'younger_than', hours: 1, effect: 'warn' },
      'Warn about every npm package while the version is younger than 1 hour.',
    ],
    [
      { condition: 'younger_than', hours: 36, effect: 'hold' },
      'Hold back every npm package while the version is younger than 36 hours.',
    ],
    [
      { ...signal, signals: ['new_install_script', 'trust_lost'], mode: 'monitor' },
      'Hold back every npm package until it is 3 days old if the release gains an install script or no longer proves its origin. It only watches: nothing is refused.',
    ],
    [
      { condition: 'vulnerability', severity: 'critical', fixAvailable: true },
      'Refuse every npm package if an advisory of critical severity names the version and a fixed version is known.',
    ],
    [
      { condition: 'licence', licences: ['MIT', 'ISC'], licencesAre: 'not_listed' },
      'Refuse every npm package if its licence is not MIT or ISC.',
    ],
  ]
  for (const [fields, sentence] of sentences) assert.equal(ruleSentence(rule(fields)), sentence)
})
