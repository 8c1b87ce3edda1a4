import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EcosystemId, ecosystemIds } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { affectedIntervals, contains, type OsvAffected } from '../../../ecosystems/version-range.ts'
import { createIndexBuilder } from '../advisories/index-builder.ts'
import { openIndex } from './verdict-index.ts'

type Entry = { id: string; ecosystem: EcosystemId; name: string; affected: OsvAffected }

function indexOf(entries: Entry[]) {
  const builder = createIndexBuilder()
  for (const { id, ecosystem, name, affected } of entries) {
    const rules = ecosystems[ecosystem]
    builder.add({
      advisoryId: id,
      ecosystem,
      name: rules.normalizeName(name),
      intervals: affectedIntervals(rules, affected),
    })
  }
  return openIndex(builder.build())
}

const everything: OsvAffected = { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] }

test('an entry names the versions that it says, and no others', () => {
  const index = indexOf([
    { id: 'A', ecosystem: 'npm', name: 'listed', affected: { versions: ['1.0.1', '1.0.0', '2.0.0'] } },
    { id: 'B', ecosystem: 'npm', name: 'whole', affected: everything },
    { id: 'C', ecosystem: 'npm', name: 'listed', affected: { versions: ['1.0.1'] } },
    {
      id: 'D',
      ecosystem: 'npm',
      name: 'ranged',
      affected: {
        ranges: [{ type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '3.0.0' }] }],
      },
    },
    {
      id: 'E',
      ecosystem: 'npm',
      name: 'last',
      affected: { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { last_affected: '1.2.0' }] }] },
    },
    { id: 'F', ecosystem: 'pypi', name: 'Some_Thing', affected: { versions: ['1.0'] } },
    { id: 'G', ecosystem: 'nuget', name: 'Be.Vlаanderen', affected: everything },
  ])
  const cases: [EcosystemId, string, string, string[]][] = [
    ['npm', 'listed', '1.0.0', ['A']],
    ['npm', 'listed', '1.0.1', ['A', 'C']],
    ['npm', 'listed', '1.0.2', []],
    ['npm', 'listed', '0.0.1', []],
    ['npm', 'listed', '3.0.0', []],
    ['npm', 'whole', '0.0.0-0', ['B']],
    ['npm', 'whole', 'no version at all', ['B']],
    ['npm', 'Whole', '1.0.0', []],
    ['npm', 'whol', '1.0.0', []],
    ['npm', 'wholes', '1.0.0', []],
    ['pypi', 'whole', '1.0.0', []],
    ['npm', 'ranged', '0.9.9', []],
    ['npm', 'ranged', '1.0.0', ['D']],
    ['npm', 'ranged', '1.1.9', ['D']],
    ['npm', 'ranged', '1.2.0', []],
    ['npm', 'ranged', '3.0.0-rc.1', []],
    ['npm', 'ranged', '99.0.0', ['D']],
    ['npm', 'last', '1.2.0', ['E']],
    ['npm', 'last', '1.2.1', []],
    ['pypi', 'some.thing', '1.0.0', ['F']],
    ['pypi', 'some-thing', '1.1', []],
    ['nuget', 'be.vlаanderen', '1', ['G']],
    ['nuget', 'be.vlaanderen', '1', []],
    ['npm', '', '', []],
  ]
  for (const [ecosystem, name, version, expected] of cases) {
    assert.deepEqual([...index.match(ecosystem, name, version)].sort(), expected, `${ecosystem} ${name}@${version}`)
  }
  assert.equal(index.packageCount, 6)
  assert.ok(index.knows('npm', 'listed'))
  assert.ok(!index.knows('npm', 'nothing'))
})

test('which advisories name every version, and which any', () => {
  const index = indexOf([
    { id: 'A', ecosystem: 'npm', name: 'mixed', affected: { versions: ['1.0.1'] } },
    { id: 'B', ecosystem: 'npm', name: 'mixed', affected: everything },
    { id: 'C', ecosystem: 'npm', name: 'listed', affected: { versions: ['1.0.1', '2.0.0'] } },
    {
      id: 'D',
      ecosystem: 'npm',
      name: 'listed',
      affected: { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '3.0.0' }] }] },
    },
  ])
  assert.deepEqual(index.matchWhole('npm', 'mixed'), ['B'])
  assert.deepEqual([...index.matchAny('npm', 'mixed')].sort(), ['A', 'B'])
  assert.deepEqual(index.matchWhole('npm', 'listed'), [])
  assert.deepEqual([...index.matchAny('npm', 'listed')].sort(), ['C', 'D'])
  assert.deepEqual(index.matchAny('npm', 'other'), [])
  assert.deepEqual(index.matchAny('pypi', 'mixed'), [])
})

test('a package is known by every spelling that leads to it, and by no other', () => {
  const index = indexOf([
    { id: 'A', ecosystem: 'gomod', name: 'github.com/Evil/Lib', affected: everything },
    { id: 'B', ecosystem: 'gomod', name: 'github.com/evil/lib', affected: { versions: ['v1.0.0'] } },
    { id: 'C', ecosystem: 'cargo', name: 'evil-Crate', affected: everything },
    { id: 'D', ecosystem: 'npm', name: 'Evil', affected: everything },
    { id: 'E', ecosystem: 'maven', name: 'com.Evil:lib', affected: everything },
  ])
  for (const name of ['github.com/evil/lib', 'github.com/Evil/Lib', 'GitHub.com/EVIL/lib']) {
    assert.deepEqual(index.match('gomod', name, 'v1.0.0'), ['B', 'A'], name)
    assert.deepEqual(index.matchWhole('gomod', name), ['A'], name)
    assert.ok(index.knows('gomod', name), name)
  }
  assert.deepEqual(index.match('cargo', 'evil_crate', '1.0.0'), ['C'])
  assert.deepEqual(index.match('npm', 'evil', '1.0.0'), [])
  assert.deepEqual(index.match('maven', 'com.evil:lib', '1.0'), [])
})

test('an empty index knows nothing', () => {
  const index = indexOf([])
  assert.deepEqual(index.match('npm', 'left-pad', '1.0.0'), [])
})

test('the index answers like a walk over all entries', () => {
  const version = fc.constantFrom('0.1.0', '1.0.0', '1.0.0-rc.1', '1.2.0', '1.10.0', '2.0.0', '10.0.0', 'odd', '')
  const event = fc.oneof(
    version.map((introduced) => ({ introduced })),
    fc.constant({ introduced: '0' }),
    version.map((fixed) => ({ fixed })),
    version.map((last_affected) => ({ last_affected })),
  )
  const range = fc.record({
    type: fc.constantFrom('SEMVER', 'ECOSYSTEM', 'GIT'),
    events: fc.array(event, { maxLength: 4 }),
  })
  const entry = fc.record({
    id: fc.constantFrom('A', 'B', 'C', 'D'),
    ecosystem: fc.constantFrom(...ecosystemIds),
    name: fc.constantFrom('a', 'b', 'B', 'a_b', 'a-b', 'c/d', 'c:d', 'ü'),
    affected: fc.record({ versions: fc.array(version, { maxLength: 4 }), ranges: fc.array(range, { maxLength: 2 }) }),
  })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.array(fc.tuple(entry, version)), (entries, others) => {
      const index = indexOf(entries)
      const asked = [...entries.flatMap((each) => each.affected.versions.map((v) => [each, v] as const)), ...others]
      for (const [{ ecosystem, name }, asking] of asked) {
        const rules = ecosystems[ecosystem]
        const key = rules.orderKey(asking)
        const expected = entries.filter(
          (each) =>
            each.ecosystem === ecosystem &&
            rules.comparedName(each.name) === rules.comparedName(name) &&
            affectedIntervals(rules, each.affected).some((interval) => contains(interval, key)),
        )
        const ids = new Set(expected.map((each) => each.id))
        assert.deepEqual(new Set(index.match(ecosystem, name, asking)), ids)
      }
    }),
  )
})
