import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../test/depth.ts'
import { ecosystems } from './registry.ts'
import {
  affectedIntervals,
  contains,
  createCover,
  type KeyInterval,
  type OsvAffected,
  parseBound,
} from './version-range.ts'

const { npm, pypi, maven, gomod } = ecosystems

test('a bound takes an operator of its own side, or none', () => {
  const table: [side: 'lower' | 'upper', text: string, version: string, inclusive: boolean][] = [
    ['lower', '>=1.0.0', '1.0.0', true],
    ['lower', '>1', '1', false],
    ['lower', '1.2.3', '1.2.3', true],
    ['lower', ' >= 1.2.3 ', '1.2.3', true],
    ['upper', '<2.0.0', '2.0.0', false],
    ['upper', '<=2', '2', true],
    ['upper', '2', '2', true],
  ]
  for (const [side, text, version, inclusive] of table) {
    assert.deepEqual(parseBound(npm, side, text), { bound: { key: npm.orderKey(version), inclusive } }, text)
  }
})

test('a bound that contradicts its side or names no version is a problem, not a throw', () => {
  const table: ['lower' | 'upper', string][] = [
    ['lower', '<2'],
    ['lower', '<=2'],
    ['upper', '>1'],
    ['upper', '>=1'],
    ['lower', '=1'],
    ['lower', '^1.2'],
    ['upper', '!=1'],
    ['lower', '>='],
    ['upper', ''],
    ['upper', '  '],
  ]
  for (const [side, text] of table) {
    const result = parseBound(npm, side, text)
    assert.ok(
      typeof result === 'object' && 'problem' in result && result.problem.includes(`'${text}'`),
      `${side} '${text}'`,
    )
  }
})

test('a bound is read where it is a version of the ecosystem, and nowhere else', () => {
  const table: [keyof typeof ecosystems, read: string[], unread: string[]][] = [
    ['npm', ['1.2.3-rc.1+build', 'v1.2', '1.2.3beta'], ['4.17.x', '4.17.*', '4,17,21', '1 2', 'banana', '1.2.3 - 2']],
    ['maven', ['1.0.Final', 'Finchley.SR1'], ['RELEASE', '[1.0,2.0)', '1.x']],
    ['composer', ['1.0.x-dev', '2.0.0-beta1'], ['dev-main', '1.0.x']],
    ['pypi', ['1!2.0.post1', '1.0+local.1'], ['1.x', 'latest']],
    ['deb', ['1:2.3~rc1-4+b1'], ['sid']],
    ['rpm', ['1.0^git20240101-1.fc40'], ['fc']],
    ['gomod', ['v1.2.3', 'v0.0.0-20240101000000-abcdefabcdef', 'v2.0.0+incompatible'], ['v1.x', 'main']],
    ['gem', ['1.0.a'], ['1.0.*']],
  ]
  for (const [id, read, unread] of table) {
    for (const text of read) assert.notEqual(parseBound(ecosystems[id], 'upper', `<${text}`), 'unreadable', text)
    for (const text of unread) assert.equal(parseBound(ecosystems[id], 'upper', `<${text}`), 'unreadable', text)
  }
})

test('an OSV record affects the versions its ranges and lists say', () => {
  const table: [string, typeof npm, OsvAffected, affected: string[], unaffected: string[]][] = [
    [
      'from the beginning to a fix',
      npm,
      { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.3' }] }] },
      ['0.0.0-alpha', '1.2.3-rc.1', '1.2.2', 'not a version'],
      ['1.2.3', '2.0.0'],
    ],
    [
      'two parts, events out of order',
      pypi,
      {
        ranges: [
          {
            type: 'ECOSYSTEM',
            events: [{ introduced: '2.0' }, { fixed: '1.5' }, { introduced: '1.0' }, { fixed: '2.1' }],
          },
        ],
      },
      ['1.0', '1.4.post1', '2', '2.1rc1'],
      ['0.9', '1.5', '1.5.0', '2.0.dev1', '2.1'],
    ],
    [
      'builds of the last affected version are affected (PEP 440, local versions)',
      pypi,
      { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { last_affected: '1.0' }] }] },
      ['1.0', '1.0+cu118', '1.0.0+zz.9', '1.0rc1+cpu', '0.9+local'],
      ['1.0.post1', '1.0.post1.dev1', '1.0.1', '1.0.1.dev0', '1.1a1'],
    ],
    [
      'a build that is named itself is the last of them',
      pypi,
      { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { last_affected: '1.0+cu118' }] }] },
      ['1.0', '1.0+cu117', '1.0+cu118'],
      ['1.0+cu118.1', '1.0+cu119', '1.0.1'],
    ],
    [
      'builds of the fixed version are fixed',
      pypi,
      { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0' }] }] },
      ['0.9+cu118', '1.0rc1', '1.0rc1+cpu'],
      ['1.0', '1.0+cu118'],
    ],
    [
      'builds of a version that is called last affected and fixed are fixed',
      pypi,
      { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { last_affected: '1.0' }, { fixed: '1.0' }] }] },
      ['0.9', '0.9+cu118'],
      ['1.0', '1.0+cu118'],
    ],
    [
      'builds of the version from which on it is affected again are affected, and those of later ones',
      pypi,
      {
        ranges: [
          {
            type: 'ECOSYSTEM',
            events: [{ introduced: '0' }, { last_affected: '1.0' }, { introduced: '1.0' }, { fixed: '2.0' }],
          },
        ],
      },
      ['1.0', '1.0+cu118', '1.5'],
      ['2.0', '2.0+cu118'],
    ],
    [
      'builds of listed versions are affected',
      pypi,
      { versions: ['1.0', '2.0+cpu'] },
      ['1.0', '1.0.0', '1.0+cu118', '2.0+cpu'],
      ['1.0.post1', '1.0.1', '2.0', '2.0+cu118'],
    ],
    [
      'the last affected version is affected',
      maven,
      { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { last_affected: '1.4' }] }] },
      ['1', '1.4.0', '1.4-ga', '1.4-rc1'],
      ['1.0-alpha', '1.4-sp1', '1.4.1'],
    ],
    [
      'never closed',
      gomod,
      { ranges: [{ type: 'SEMVER', events: [{ introduced: '1.1.0' }] }] },
      ['v1.1.0', 'v1.1.0+incompatible', 'v9.0.0'],
      ['v1.0.9', 'v1.1.0-rc.1'],
    ],
    [
      'introduced and fixed at once affects nothing',
      npm,
      { ranges: [{ type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.0.0' }] }] },
      [],
      ['0.9.0', '1.0.0', '1.0.1'],
    ],
    [
      'listed versions, and commits that say nothing about versions',
      pypi,
      { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }], versions: ['1.0', '1.2rc1'] },
      ['1.0.0', '1.2.RC1'],
      ['1.1', '1.2'],
    ],
    [
      'nothing from the last limit on',
      npm,
      {
        ranges: [
          {
            type: 'SEMVER',
            events: [{ introduced: '1.0.0' }, { limit: '1.5.0' }, { limit: '1.2.0' }, { introduced: '3.0.0' }],
          },
        ],
      },
      ['1.0.0', '1.4.9'],
      ['0.9.0', '1.5.0', '3.0.0'],
    ],
    [
      'a fix before the limit, and a limit that is none',
      npm,
      {
        ranges: [
          { type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { limit: '1.5.0' }] },
          { type: 'SEMVER', events: [{ introduced: '8.0.0' }, { limit: '*' }, { limit: '8.1.0' }] },
        ],
      },
      ['1.0.0', '8.2.0'],
      ['1.2.0', '1.4.0', '7.0.0'],
    ],
    ['nothing', npm, {}, [], ['1.0.0']],
  ]
  for (const [name, ecosystem, record, affected, unaffected] of table) {
    const intervals = affectedIntervals(ecosystem, record)
    const isAffected = (version: string) => intervals.some((it) => contains(it, ecosystem.orderKey(version)))
    assert.deepEqual(affected.filter(isAffected), affected, name)
    assert.deepEqual(unaffected.filter(isAffected), [], name)
  }
})

test('a closing event that nothing opened is passed over', () => {
  assert.deepEqual(affectedIntervals(npm, { ranges: [{ type: 'SEMVER', events: [{ fixed: '1.0.0' }] }] }), [])
})

test('what covers a key is what some interval contains', () => {
  const key = fc.nat({ max: 9 }).map((number) => Uint8Array.of(number))
  const lower = fc.option(
    key.map((each) => ({ key: each, inclusive: true })),
    { nil: undefined },
  )
  const upper = fc.option(fc.record({ key, inclusive: fc.boolean() }), { nil: undefined })
  const interval = fc
    .record({ lower, upper })
    .map((one): KeyInterval => ({ ...(one.lower && { lower: one.lower }), ...(one.upper && { upper: one.upper }) }))
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 6 }), key, (intervals, one) => {
      assert.equal(
        createCover(intervals)(one),
        intervals.some((each) => contains(each, one)),
      )
    }),
    { numRuns: often(1_000) },
  )
})
