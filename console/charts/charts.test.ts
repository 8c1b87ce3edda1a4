import assert from 'node:assert/strict'
import { test } from 'node:test'
import { periodWords, readPeriod, spanOf } from '../app/address/period.ts'
import { backlogLink, guardrailsLink } from '../overview/links.ts'
import { axisLabels, everyNth, spokenLabels } from './labels.ts'
import { extentOf, segmentsOf } from './stacks.ts'
import { lanesOf, shownVersions } from './version-lanes.ts'

const series = [
  { key: 'up', label: 'Up', fill: 'a' },
  { key: 'more', label: 'More', fill: 'b' },
  { key: 'down', label: 'Down', fill: 'c', down: true },
]

test('bars are stacked, what goes down is below zero, and zeros are not drawn', () => {
  const segments = segmentsOf(series, [
    { up: 3, more: 2, down: 4 },
    { up: 0, more: 1, down: 0 },
  ])
  assert.deepEqual(
    segments.map(({ series: { key }, index, from, to }) => [key, index, from, to]),
    [
      ['up', 0, 0, 3],
      ['more', 0, 3, 5],
      ['more', 1, 0, 1],
      ['down', 0, -4, 0],
    ],
  )
  assert.deepEqual(extentOf(segments), [-4, 5])
  assert.deepEqual(extentOf([]), [0, 1])
})

test('marks say what they count, and that a bucket is cut short', () => {
  const months = [
    { since: '2026-01-15T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' },
    { since: '2026-02-01T00:00:00.000Z', until: '2026-03-01T00:00:00.000Z' },
  ]
  assert.deepEqual(axisLabels(months), ['Jan*', 'Feb'])
  assert.deepEqual(spokenLabels(months), ['15 Jan 2026 to 31 Jan 2026, in part', 'February 2026'])
  assert.equal(everyNth(13, 570), 2)
})

test('a period is whole days and survives the hour', () => {
  const at = (time: string) => readPeriod([['period', '30d']], new Date(time))
  assert.deepEqual(at('2026-06-10T01:00:00Z'), at('2026-06-10T23:00:00Z'))
  assert.equal(at('2026-06-10T01:00:00Z').since, '2026-05-11T00:00:00.000Z')
  assert.equal(readPeriod([], new Date('2026-06-10T01:00:00Z')).since, '2025-06-10T00:00:00.000Z')
  assert.deepEqual([periodWords('1y'), periodWords('30d')], [[], ['30d']])
  assert.equal(spanOf('2026-05-01T00:00:00.000Z', '2026-06-01T10:00:00.000Z'), '2026-05-01..2026-06-01T10:00:00.000Z')
})

test('links lead to exactly what is counted', () => {
  const span = { since: '2026-05-01T00:00:00.000Z', until: '2026-06-01T00:00:00.000Z' }
  assert.equal(guardrailsLink('silenced', span), '?state=any&guardrail=silenced&raised=2026-05-01..2026-06-01')
  assert.equal(
    backlogLink({ since: span.since }, [['rule', 'a/b']]),
    '?state=any&stage=all&rule=a/b&raised=2026-05-01..',
  )
})

const used = (...versions: string[]) => versions.map((version) => ({ version, repositoryCount: 1, severity: null }))

test('an advisory is drawn over the versions it names, in stretches', () => {
  const versions = used('1', '2', '3', '4', '5')
  const advisories = [
    { id: 'A', versions: ['5', '2', '1'] },
    { id: 'B', versions: ['9'] },
    { id: 'C', versions: ['3'] },
  ]
  assert.deepEqual(lanesOf(versions, advisories), [
    {
      id: 'A',
      spans: [
        [0, 1],
        [4, 4],
      ],
    },
    { id: 'C', spans: [[2, 2]] },
  ])
})

test('of very many versions the latest are drawn, and how many are not is said', () => {
  const { shown, hidden } = shownVersions(used(...Array.from({ length: 100 }, (_, at) => String(at))))
  assert.deepEqual([shown.length, shown.at(-1)?.version, hidden], [60, '99', 40])
})
