import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNearLinear } from '../../../test/growth/measure.ts'
import { writeCyclonedxJson } from '../cyclonedx-json/writer.ts'
import type { InventoryItem } from '../format.ts'
import { writeSpdxJson } from '../spdx-json/writer.ts'

const created = new Date(0)
const writers = { cyclonedx: writeCyclonedxJson, spdx: writeSpdxJson }

function itemsOf(count: number, licence: (at: number) => string): InventoryItem[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `pkg:npm/p${at}@1.0.0`,
    ecosystem: 'npm',
    name: `p${at}`,
    version: '1.0.0',
    transitivity: at % 3 === 0 ? 'DIRECT' : 'TRANSITIVE',
    development: at % 7 === 0,
    licence: licence(at),
    resolved: '',
    dependsOn: [1, 2, 3].map((step) => `pkg:npm/p${(at * 5 + step) % count}@1.0.0`),
    line: 0,
  }))
}

for (const [format, write] of Object.entries(writers)) {
  test(`a large bill in ${format} is written in small pieces`, () => {
    const items = itemsOf(20_000, () => 'MIT')
    let [pauses, longest] = [0, 0]
    for (const piece of write({ repository: 'large', created, items })) {
      if (piece === '') pauses++
      longest = Math.max(longest, piece.length)
    }
    // What is looked through before anything is written: keys, digest, places, twice the graph, standings.
    assert.ok(pauses > 100, `${pauses} pauses`)
    assert.ok(longest < 1_000, `${longest} characters in one piece`)
  })

  test(`licences that begin alike are written to ${format} in near-linear time`, () => {
    const alike = (at: number) => `${'A licence of our own '.repeat(4)}${at}`
    const make = (count: number) => itemsOf(count, alike)
    assertNearLinear(500, make, (items) => {
      for (const _ of write({ repository: 'large', created, items }));
    })
  })
}

test('each licence of its own is told apart', () => {
  const items = itemsOf(4, (at) => `${'x'.repeat(80)}${at % 3}`)
  const document = JSON.parse([...writeSpdxJson({ repository: 'r', created, items })].join(''))
  const ref = `LicenseRef-${'x'.repeat(60)}`
  assert.deepEqual(
    document.packages.slice(1).map((one: { licenseDeclared: string }) => one.licenseDeclared),
    [ref, `${ref}-2`, `${ref}-3`, ref],
  )
  assert.equal(document.hasExtractedLicensingInfos.length, 3)
})
