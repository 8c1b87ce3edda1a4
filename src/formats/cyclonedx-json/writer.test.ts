import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleBill } from '../sbom/test-bill.ts'
import { cyclonedxJson } from './reader.ts'
import { writeCyclonedxJson } from './writer.ts'

const text = () => [...writeCyclonedxJson(sampleBill)].join('')

test('the reader gives back what was written', () => {
  const bytes = Buffer.from(text())
  assert.equal(cyclonedxJson.recognises(bytes, ''), true)
  const { items, problems } = cyclonedxJson.read([bytes], '')
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map((item) => ({ ...item, line: 0 })),
    sampleBill.items,
  )
})

test('the document has what the schema of 1.6 requires', () => {
  const document = JSON.parse(text())
  assert.match(document.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(document.metadata.timestamp, '2026-03-01T10:00:00.250Z')
  assert.equal(document.metadata.component.name, 'shop/front')
  const refs = [document.metadata.component, ...document.components].map((component) => component['bom-ref'])
  assert.equal(new Set(refs).size, refs.length)
  for (const { ref, dependsOn } of document.dependencies) {
    assert.deepEqual(
      [ref, ...dependsOn].filter((one: string) => !refs.includes(one)),
      [],
    )
  }
  assert.deepEqual(document.components[3].licenses, [{ license: { name: 'Our own licence' } }])
  assert.deepEqual(document.components[1].licenses, [{ expression: 'MIT OR Apache-2.0' }])
})

test('the same content makes the same document, other content another serial number', () => {
  assert.equal(text(), text())
  const other = [...writeCyclonedxJson({ ...sampleBill, repository: 'other' })].join('')
  assert.notEqual(JSON.parse(other).serialNumber, JSON.parse(text()).serialNumber)
})

test('a repository without dependencies makes a document that reads as empty', () => {
  const empty = [...writeCyclonedxJson({ ...sampleBill, items: [] })].join('')
  assert.deepEqual(cyclonedxJson.read([Buffer.from(empty)], ''), { items: [], problems: [] })
})
