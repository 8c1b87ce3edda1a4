import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { createOverrideTable, type Override } from './override-table.ts'

const now = new Date('2026-11-15T12:00:00Z')

type Written = `${'allow' | 'deny'} ${string}`

/** `deny @evil/* <2.0.0`; `gone` at the end for one that has run out. */
function overrideOf(text: Written, id: number, ecosystem: EcosystemId): Override {
  const [effect, name, ...rest] = text.split(' ') as ['allow' | 'deny', string, ...string[]]
  const isGone = rest.at(-1) === 'gone'
  const version = (isGone ? rest.slice(0, -1) : rest).join(' ')
  return { id, ecosystem, name, effect, version, reason: text, expiresAt: isGone ? now : null }
}

// The table of docs/firewall.md, row by row, and what lies between the rows.
const cases: [what: string, overrides: Written[], asked: string, chosen: Written | undefined][] = [
  ['none is about it', ['deny other'], '@evil/lib@1.0.0', undefined],
  ['a pattern', ['deny @evil/*'], '@evil/lib@1.0.0', 'deny @evil/*'],
  ['a range', ['deny @evil/lib <2.0.0'], '@evil/lib@1.0.0', 'deny @evil/lib <2.0.0'],
  ['outside of the range', ['deny @evil/lib <2.0.0'], '@evil/lib@2.0.0', undefined],
  ['a pattern with a range', ['deny @evil/* <2.0.0'], '@evil/lib@1.9.0', 'deny @evil/* <2.0.0'],
  ['a name before a pattern', ['deny @evil/*', 'allow @evil/lib'], '@evil/lib@1.0.0', 'allow @evil/lib'],
  ['a name before a pattern, the other way', ['allow @evil/*', 'deny @evil/lib'], '@evil/lib@1.0.0', 'deny @evil/lib'],
  ['the name before the version', ['deny @evil/* 1.0.0', 'allow @evil/lib'], '@evil/lib@1.0.0', 'allow @evil/lib'],
  ['the longer pattern', ['deny @evil/*', 'allow @evil/lib-*'], '@evil/lib-a@1.0.0', 'allow @evil/lib-*'],
  ['the longer pattern, the other way', ['allow @evil/*', 'deny @evil/lib-*'], '@evil/lib-a@1.0.0', 'deny @evil/lib-*'],
  ['everything last', ['deny *', 'allow @evil/*'], '@evil/lib@1.0.0', 'allow @evil/*'],
  ['everything, where nothing else is', ['deny *', 'allow @evil/*'], 'lib@1.0.0', 'deny *'],
  ['a version before a range', ['deny lib <2.0.0', 'allow lib 1.0.0'], 'lib@1.0.0', 'allow lib 1.0.0'],
  ['a range before every version', ['deny lib', 'allow lib <2.0.0'], 'lib@1.0.0', 'allow lib <2.0.0'],
  ['a version before every version', ['deny lib', 'allow lib 1.0.0'], 'lib@1.0.0', 'allow lib 1.0.0'],
  ['deny of two ranges', ['allow lib <3.0.0', 'deny lib <2.0.0'], 'lib@1.0.0', 'deny lib <2.0.0'],
  ['deny of two for every version', ['allow lib', 'deny lib'], 'lib@1.0.0', 'deny lib'],
  ['deny of two patterns as long', ['allow @a/*', 'deny @a/*'], '@a/b@1.0.0', 'deny @a/*'],
  ['what ran out does not count', ['deny lib gone', 'allow li*'], 'lib@1.0.0', 'allow li*'],
  [
    'a name that is about another version leaves it to the pattern',
    ['allow lib 2.0.0', 'deny li*'],
    'lib@1.0.0',
    'deny li*',
  ],
]

for (const [what, overrides, asked, chosen] of cases) {
  test(`of several overrides: ${what}`, () => {
    for (const order of [overrides, [...overrides].reverse()]) {
      const table = createOverrideTable(order.map((text, at) => overrideOf(text, at + 1, 'npm')))
      const at = asked.lastIndexOf('@')
      assert.equal(table.find('npm', asked.slice(0, at), asked.slice(at + 1), now)?.reason, chosen)
      assert.equal(table.find('pypi', asked.slice(0, at), asked.slice(at + 1), now), undefined)
    }
  })
}

const builds: [overrides: Written[], asked: string, chosen: Written | undefined][] = [
  [['deny torch 2.0.1'], '2.0.1+cu118', 'deny torch 2.0.1'],
  [['deny torch 1.0 || 2.0.1'], '2.0.1+cu118', 'deny torch 1.0 || 2.0.1'],
  [['deny torch <=2.0.1'], '2.0.1+cu118', 'deny torch <=2.0.1'],
  [['deny torch 2.0.1+cu118'], '2.0.1+cu121', undefined],
  [['allow torch 2.0.1'], '2.0.1+cu118', undefined],
  [['allow torch 1.0 || 2.0.1'], '2.0.1+cu118', undefined],
  [['allow torch >2.0.1'], '2.0.1+cu118', undefined],
  [['allow torch 2.0.1+cu118', 'deny torch 2.0.1'], '2.0.1+cu118', 'allow torch 2.0.1+cu118'],
  [['allow torch 2.0.1', 'deny torch 2.0.1'], '2.0.1', 'deny torch 2.0.1'],
  [['allow torch <3', 'deny torch 2.0.1'], '2.0.1+cu118', 'deny torch 2.0.1'],
  [['allow torch', 'deny torch 2.0.1'], '2.0.1+cu118', 'deny torch 2.0.1'],
]

for (const [overrides, asked, chosen] of builds) {
  test(`of local builds on PyPI: ${overrides.join(', ')}, and ${asked} comes`, () => {
    for (const order of [overrides, [...overrides].reverse()]) {
      const table = createOverrideTable(order.map((text, at) => overrideOf(text, at + 1, 'pypi')))
      assert.equal(table.find('pypi', 'torch', asked, now)?.reason, chosen)
    }
  })
}

test('a Maven group before the group with all below it', () => {
  const written: Written[] = ['deny com.evil.*', 'allow com.evil:*']
  const table = createOverrideTable(written.map((text, at) => overrideOf(text, at + 1, 'maven')))
  assert.equal(table.find('maven', 'com.evil:lib', '1.0', now)?.effect, 'allow')
  assert.equal(table.find('maven', 'com.evil.deep:lib', '1.0', now)?.effect, 'deny')
})

test('a module of Go is denied by every spelling that leads to it', () => {
  const written: Written[] = ['deny github.com/Evil/lib', 'deny github.com/Worse/*', 'deny some_crate']
  const table = createOverrideTable([
    ...written.slice(0, 2).map((text, at) => overrideOf(text, at + 1, 'gomod')),
    overrideOf(written[2]!, 3, 'cargo'),
  ])
  for (const name of ['github.com/evil/lib', 'github.com/EVIL/Lib', 'github.com/worse/lib', 'github.com/Worse/Lib']) {
    assert.equal(table.find('gomod', name, 'v1.0.0', now)?.effect, 'deny', name)
    assert.equal(table.findWhole('gomod', name, now).denied?.effect, 'deny', name)
  }
  assert.equal(table.find('gomod', 'github.com/evil/other', 'v1.0.0', now), undefined)
  assert.equal(table.find('cargo', 'some-crate', '1.0.0', now)?.effect, 'deny')
})

const snapshots: [overrides: Written[], asked: string, chosen: Written | undefined][] = [
  [['deny lib 2.0-SNAPSHOT'], '2.0-20260101.120000-3', 'deny lib 2.0-SNAPSHOT'],
  [['deny lib <2.0'], '2.0-20260101.120000-3', 'deny lib <2.0'],
  [['deny lib 2.0-20260101.120000-3'], '2.0-20260101.120000-3', 'deny lib 2.0-20260101.120000-3'],
  [['deny lib 2.0-20260101.120000-3 || 1.0'], '2.0-20260101.120000-3', 'deny lib 2.0-20260101.120000-3 || 1.0'],
  [['deny lib 2.0-20260101.120000-3'], '2.0-20260101.120000-4', undefined],
  [['deny lib 2.0-20260101.120000-3'], '2.0-SNAPSHOT', undefined],
  [['deny lib >=2.0'], '2.0-20260101.120000-3', 'deny lib >=2.0'],
  [['allow lib >=2.0'], '2.0-20260101.120000-3', undefined],
  [
    ['allow lib 2.0-20260101.120000-3', 'deny lib 2.0-SNAPSHOT'],
    '2.0-20260101.120000-3',
    'allow lib 2.0-20260101.120000-3',
  ],
  [
    ['allow lib 2.0-SNAPSHOT', 'deny lib 2.0-20260101.120000-3'],
    '2.0-20260101.120000-3',
    'deny lib 2.0-20260101.120000-3',
  ],
]

for (const [overrides, asked, chosen] of snapshots) {
  test(`of builds of Maven's snapshots: ${overrides.join(', ')}, and ${asked} comes`, () => {
    for (const order of [overrides, [...overrides].reverse()]) {
      const table = createOverrideTable(order.map((text, at) => overrideOf(text, at + 1, 'maven')))
      assert.equal(table.find('maven', 'lib', asked, now)?.reason, chosen)
    }
  })
}
