import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionKey } from '../version-key.ts'
import {
  type AdvisoryReview,
  defaultSettings,
  emptyConfiguration,
  type FirewallConfiguration,
  reviewKey,
} from './firewall-configuration.ts'
import { judge, judgeName, maliceOf, type VerdictData } from './judge.ts'
import { createOverrideTable, type Override } from './override-table.ts'

const now = new Date('2026-11-15T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

const knowledge: VerdictData = {
  checkedAt: hoursAgo(10),
  missesFeed: false,
  index: {
    match: (_, name, version) => (name === 'evil' || version === '6.6.6' ? ['MAL-1', 'MAL-2'] : []),
    matchWhole: (_, name) => (name === 'evil' ? ['MAL-1', 'MAL-2'] : []),
    matchAny: (_, name) => (name === 'evil' || name === 'partly' ? ['MAL-1', 'MAL-2'] : []),
  },
}

function rules(
  overrides: Partial<Override>[],
  choices: Partial<typeof defaultSettings> = {},
  holds: [string, AdvisoryReview][] = [],
): FirewallConfiguration {
  const list = overrides.map((each, i) => ({
    id: i + 1,
    ecosystem: 'npm' as const,
    name: '*',
    effect: 'deny' as const,
    version: '',
    reason: 'because',
    expiresAt: null,
    ...each,
  }))
  return {
    ...emptyConfiguration,
    version: 1,
    overrides: createOverrideTable(list),
    choices: new Map([['npm', { ...defaultSettings, ...choices }]]),
    holds: new Map(holds),
  }
}

const held = (name: string, version = '1.0.0'): [string, AdvisoryReview][] =>
  ['MAL-1', 'MAL-2'].map((id) => [
    reviewKey(id, 'npm', name),
    { state: 'held', versions: new Set(version ? [versionKey('npm', version)] : []) },
  ])
const released: [string, AdvisoryReview][] = ['MAL-1', 'MAL-2'].map((id) => [
  reviewKey(id, 'npm', 'evil'),
  { state: 'released', reason: 'a mistake' },
])

type Case = [
  what: string,
  rules: FirewallConfiguration | undefined,
  name: string,
  published: Date | undefined,
  decision: string,
  refuse: boolean,
]

const gate = { minimumAgeHours: 24, ageExceptions: ['trusted', '@ours/*'] }
const cases: Case[] = [
  ['an advisory blocks', undefined, 'evil', undefined, 'block', true],
  ['nothing said is allowed', undefined, 'good', undefined, 'allow', false],
  ['allow outranks advisories', rules([{ effect: 'allow' }]), 'evil', undefined, 'allow', false],
  ['deny needs no advisory', rules([{}]), 'good', undefined, 'block', true],
  ['deny wins over allow', rules([{ effect: 'allow' }, {}]), 'good', undefined, 'block', true],
  [
    'the version outranks all versions',
    rules([{ effect: 'allow', version: '1.0.0' }, {}]),
    'good',
    undefined,
    'allow',
    false,
  ],
  ['as an equal version too', rules([{ effect: 'allow', version: 'v1.0.0' }, {}]), 'good', undefined, 'allow', false],
  ['another version does not count', rules([{ version: '1.0.1' }]), 'good', undefined, 'allow', false],
  ['an expired one does not count', rules([{ expiresAt: now }]), 'good', undefined, 'allow', false],
  [
    'one that expires later does',
    rules([{ expiresAt: new Date(now.getTime() + 1) }]),
    'good',
    undefined,
    'block',
    true,
  ],
  ['one held advisory of two', rules([], {}, held('evil').slice(1)), 'evil', undefined, 'block', true],
  ['all held', rules([], {}, held('evil')), 'evil', undefined, 'held', true],
  ['all held, as an equal version', rules([], {}, held('evil', 'v1.0.0')), 'evil', undefined, 'held', true],
  ['all held, where that warns', rules([], { held: 'warn' }, held('evil')), 'evil', undefined, 'held', false],
  ['held for another version', rules([], { held: 'warn' }, held('evil', '1.0.1')), 'evil', undefined, 'block', true],
  ['held for no version', rules([], { held: 'warn' }, held('evil', '')), 'evil', undefined, 'block', true],
  ['held elsewhere', rules([], { held: 'warn' }, held('x')), 'evil', undefined, 'block', true],
  ['held and too young', rules([], { ...gate, held: 'warn' }, held('evil')), 'evil', hoursAgo(1), 'block', true],
  ['held and allowed', rules([{ effect: 'allow' }], {}, held('evil')), 'evil', undefined, 'allow', false],
  ['released', rules([], {}, released), 'evil', undefined, 'allow', false],
  ['one of two released', rules([], {}, released.slice(1)), 'evil', undefined, 'block', true],
  ['too young', rules([], gate), 'good', hoursAgo(23.9), 'block', true],
  ['old enough', rules([], gate), 'good', hoursAgo(24), 'allow', false],
  ['of unknown age', rules([], gate), 'good', undefined, 'undetermined', true],
  [
    'of unknown age, where that warns',
    rules([], { ...gate, undetermined: 'warn' }),
    'good',
    undefined,
    'undetermined',
    false,
  ],
  ['an exception may be young', rules([], gate), 'trusted', hoursAgo(1), 'allow', false],
  ['an exception of a scope too', rules([], gate), '@ours/new', hoursAgo(1), 'allow', false],
  ['no exception for what looks alike', rules([], gate), '@ours2/new', hoursAgo(1), 'block', true],
  ['young and malicious is malicious', rules([], gate), 'evil', hoursAgo(1), 'block', true],
  ['allow passes the age gate', rules([{ effect: 'allow' }], gate), 'good', hoursAgo(1), 'allow', false],
  ['data too old', rules([], { maximumDataAgeHours: 9 }), 'good', undefined, 'undetermined', true],
  [
    'data too old, where that warns',
    rules([], { maximumDataAgeHours: 9, undetermined: 'warn' }),
    'good',
    undefined,
    'undetermined',
    false,
  ],
  [
    'old data still blocks',
    rules([], { maximumDataAgeHours: 9, undetermined: 'warn' }),
    'evil',
    undefined,
    'block',
    true,
  ],
  ['data young enough', rules([], { maximumDataAgeHours: 10 }), 'good', undefined, 'allow', false],
]

for (const [what, given, name, publishedAt, decision, refuse] of cases) {
  test(`${what}: ${decision}${refuse ? ', refused' : ''}`, () => {
    const verdict = judge(knowledge, given, { ecosystem: 'npm', name, version: '1.0.0', publishedAt }, now)
    assert.deepEqual([verdict.decision, verdict.refuse], [decision, refuse])
    assert.equal(verdict.dataAgeSeconds, 36_000)
    assert.ok(verdict.reason)
  })
}

test('without advisories everything is undetermined, and refused unless the deployment chose otherwise', () => {
  const question = { ecosystem: 'npm', name: 'good', version: '1.0.0' } as const
  const closed = judge(undefined, undefined, question, now)
  assert.deepEqual([closed.decision, closed.refuse, closed.dataAgeSeconds], ['undetermined', true, null])
  const open = judge(undefined, rules([], { undetermined: 'warn' }), question, now)
  assert.deepEqual([open.decision, open.refuse], ['undetermined', false])
  const other = judge(undefined, rules([], { undetermined: 'warn' }), { ...question, ecosystem: 'pypi' }, now)
  assert.equal(other.refuse, true)
})

const allow = { effect: 'allow' } as const
const malice: [string, FirewallConfiguration | undefined, string, readonly string[], boolean][] = [
  ['what advisories name', undefined, 'evil', ['MAL-1', 'MAL-2'], false],
  ['nothing they do not', undefined, 'good', [], false],
  ['also what the deployment denies besides', rules([{}]), 'evil', ['MAL-1', 'MAL-2'], false],
  ['not what it alone denies', rules([{}]), 'good', [], false],
  ['what it allows, as pardoned', rules([allow]), 'evil', ['MAL-1', 'MAL-2'], true],
  ['no longer once that has run out', rules([{ ...allow, expiresAt: now }]), 'evil', ['MAL-1', 'MAL-2'], false],
  ['not what is held', rules([], {}, held('evil').slice(0, 1)), 'evil', ['MAL-2'], false],
  ['not what is wholly held', rules([], {}, held('evil')), 'evil', [], false],
]
for (const [what, given, name, advisoryIds, isPardoned] of malice) {
  test(`malicious is ${what}`, () => {
    const found = maliceOf(knowledge, given, { ecosystem: 'npm', name, version: '1.0.0' }, now)
    assert.deepEqual([found.advisoryIds, found.pardon !== ''], [advisoryIds, isPardoned])
  })
}

test('what is refused because nobody knows its age is told how a package of one’s own is exempted', () => {
  const question = { ecosystem: 'npm', name: 'good', version: '1.0.0' } as const
  const { rule, reason } = judge(knowledge, rules([], gate), question, now)
  assert.equal(rule, 'unknown_age')
  assert.match(reason, /does not say how old it is\. If it is your own package, .*ageExceptions/)
})

test('a verdict names what it is made of', () => {
  const question = { ecosystem: 'npm', name: 'evil', version: '1.0.0' } as const
  assert.deepEqual(judge(knowledge, undefined, question, now).advisoryIds, ['MAL-1', 'MAL-2'])
  const partly = rules([], {}, held('evil').slice(0, 1))
  assert.deepEqual(judge(knowledge, partly, question, now).advisoryIds, ['MAL-2'])
  const wholly = judge(knowledge, rules([], {}, held('evil')), question, now)
  assert.deepEqual(wholly.advisoryIds, ['MAL-1', 'MAL-2'])
  assert.match(wholly.reason, /^Held: MAL-1, MAL-2 name every version .* until then it is refused\.$/)
  const freed = judge(knowledge, rules([], {}, released), question, now)
  assert.match(freed.reason, /MAL-1 names it; your organisation released it: a mistake/)
  const denied = judge(knowledge, rules([{ id: 7, reason: 'too large' }]), { ...question, name: 'good' }, now)
  assert.deepEqual(denied.advisoryIds, ['override-7'])
  assert.match(denied.reason, /too large/)
})

test('while a feed has never come in, only what an advisory names is judged', () => {
  const partly = { ...knowledge, missesFeed: true }
  const ask = (known: VerdictData, ecosystem: 'npm' | 'pypi', name: string) => {
    const { decision, refuse, reason } = judge(known, undefined, { ecosystem, name, version: '1.0.0' }, now)
    return [decision, refuse, reason.includes('Not every feed')]
  }
  assert.deepEqual(ask(partly, 'npm', 'good'), ['undetermined', true, true])
  assert.deepEqual(ask(partly, 'pypi', 'good'), ['undetermined', true, true])
  assert.deepEqual(ask(partly, 'pypi', 'evil'), ['block', true, false])
  assert.deepEqual(ask(knowledge, 'pypi', 'good'), ['allow', false, false])
})

const byName: [
  what: string,
  rules: FirewallConfiguration | undefined,
  name: string,
  gone: boolean,
  advisory: string,
][] = [
  ['an advisory names every version', undefined, 'evil', false, 'MAL-1'],
  ['no advisory names it', undefined, 'good', false, ''],
  ['an advisory names some versions', undefined, 'partly', false, ''],
  ['an advisory names some versions, and none is left', undefined, 'partly', true, 'MAL-1'],
  ['no advisory names it, and none is left', undefined, 'good', true, ''],
  ['it is denied', rules([{}]), 'good', false, 'override-1'],
  ['some versions are denied', rules([{ version: '<2.0.0' }]), 'good', false, ''],
  ['it is denied and one version is allowed', rules([{}, { effect: 'allow', version: '1.0.0' }]), 'good', false, ''],
  [
    'it is denied and a shorter pattern allows',
    rules([{ name: 'goo*' }, { effect: 'allow', name: 'go*' }]),
    'good',
    false,
    'override-1',
  ],
  ['it is malicious and one version is allowed', rules([{ effect: 'allow', version: '1.0.0' }]), 'evil', false, ''],
  [
    'it is malicious and that is allowed no longer',
    rules([{ effect: 'allow', expiresAt: now }]),
    'evil',
    false,
    'MAL-1',
  ],
  ['it is held', rules([], {}, held('evil')), 'evil', false, ''],
  ['one of two advisories is held', rules([], {}, held('evil').slice(0, 1)), 'evil', false, 'MAL-2'],
  ['it is released', rules([], {}, released), 'evil', false, ''],
  ['it is young, of which the name tells nothing', rules([], gate), 'good', false, ''],
]
for (const [what, given, name, gone, advisory] of byName) {
  test(`by its name alone, ${what}: ${advisory || 'it takes the version'}`, () => {
    const verdict = judgeName(knowledge, given, { ecosystem: 'npm', name, gone }, now)
    assert.equal(verdict?.advisoryIds[0] ?? '', advisory)
    assert.equal(verdict?.refuse ?? true, true)
    // The version never says otherwise.
    if (verdict && !gone) {
      for (const version of ['0.0.1', '1.0.0', '6.6.6', '99.0.0'])
        assert.equal(judge(knowledge, given, { ecosystem: 'npm', name, version }, now).refuse, true)
    }
  })
}

test('without advisories nothing is refused by its name but what is denied', () => {
  assert.equal(judgeName(undefined, undefined, { ecosystem: 'npm', name: 'evil' }, now), undefined)
  assert.equal(judgeName(undefined, rules([{}]), { ecosystem: 'npm', name: 'good' }, now)?.rule, 'denied')
})
