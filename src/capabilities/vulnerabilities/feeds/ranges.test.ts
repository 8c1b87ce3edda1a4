import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { npm } from '../../../ecosystems/npm/ecosystem.ts'
import { isVulnerable } from '../matching/test-naive.ts'
import { rangesOf } from './ranges.ts'
import { osv } from './test-advisories.ts'

const versions = ['0.1.0', '1.0.0-rc.1', '1.0.0', '1.2.0', '2.0.0', '10.0.0']
const version = fc.constantFrom(...versions)
const event = fc.oneof(
  fc.oneof(fc.constant('0'), version).map((introduced) => ({ introduced })),
  version.map((fixed) => ({ fixed })),
  version.map((last_affected) => ({ last_affected })),
  fc.oneof(fc.constant('*'), version).map((limit) => ({ limit })),
)
const range = fc.record({ type: fc.constantFrom('SEMVER', 'GIT'), events: fc.array(event, { maxLength: 6 }) })

test('stored ranges hold exactly the versions that the algorithm of the schema finds, in any order of any events', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 3 }), fc.array(version, { maxLength: 3 }), (ranges, listed) => {
      const rows = rangesOf([{ ecosystem: 'npm', name: 'a', ranges, versions: listed }])
      const record = osv({ id: 'X-1', affected: [{ name: 'a', ranges, versions: listed }] })
      for (const each of versions) {
        const key = Buffer.from(npm.orderKey(each)).toString('hex')
        const inside = rows.some(({ lower, upper, upperInclusive }) => {
          if (lower !== null && key < lower) return false
          return upper === null || key < upper || (upperInclusive && key === upper)
        })
        assert.equal(inside, isVulnerable(record, 'npm', 'a', each), each)
      }
    }),
    { numRuns: often(3_000) },
  )
})

test('a range tells the version that ends it, and a listed version is only kept where no range has it', () => {
  const events = [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }, { last_affected: '10.0.0' }]
  const rows = rangesOf([
    { ecosystem: 'npm', name: 'a', ranges: [{ type: 'SEMVER', events }], versions: ['1.0.0', '1.2.0'] },
  ])
  assert.deepEqual(
    rows.map((row) => [row.fixed, row.upperInclusive]),
    [
      ['1.2.0', false],
      ['', true],
      ['', true],
    ],
  )
})

test('names that no inventory can have make no ranges', () => {
  const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }] }]
  assert.deepEqual(rangesOf([{ ecosystem: 'npm', name: '€'.repeat(501), ranges, versions: [] }]), [])
  assert.equal(rangesOf([{ ecosystem: 'npm', name: '€'.repeat(500), ranges, versions: [] }]).length, 1)
})
