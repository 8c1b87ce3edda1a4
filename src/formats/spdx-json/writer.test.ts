import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleBill } from '../sbom/test-bill.ts'
import { spdxJson } from './reader.ts'
import { writeSpdxJson } from './writer.ts'

const text = () => [...writeSpdxJson(sampleBill)].join('')

test('the reader gives back what was written, under keys of its own', () => {
  const bytes = Buffer.from(text())
  assert.equal(spdxJson.recognises(bytes, ''), true)
  const { items, problems } = spdxJson.read([bytes], '')
  assert.deepEqual(problems, [])
  const keys = new Map(items.map((item, i) => [item.key, sampleBill.items[i]?.key ?? '']))
  const renamed = (key: string) => keys.get(key) ?? key
  assert.deepEqual(
    items.map((item) => ({ ...item, line: 0, key: renamed(item.key), dependsOn: item.dependsOn.map(renamed) })),
    sampleBill.items,
  )
})

test('the document has what SPDX 2.3 requires', () => {
  const document = JSON.parse(text())
  assert.equal(document.creationInfo.created, '2026-03-01T10:00:00Z')
  assert.match(document.documentNamespace, /^https:\/\/spdx\.org\/spdxdocs\/shop%2Ffront-[0-9a-f-]{36}$/)
  const ids = document.packages.map((one: { SPDXID: string }) => one.SPDXID)
  assert.deepEqual(
    ids.filter((id: string) => !/^SPDXRef-[A-Za-z0-9.-]+$/.test(id)),
    [],
  )
  assert.equal(new Set(ids).size, ids.length)
  for (const { spdxElementId, relatedSpdxElement } of document.relationships) {
    assert.ok(['SPDXRef-DOCUMENT', ...ids].includes(spdxElementId), spdxElementId)
    assert.ok(ids.includes(relatedSpdxElement), relatedSpdxElement)
  }
  const referred = document.packages.map((one: { licenseDeclared: string }) => one.licenseDeclared)
  const [extracted] = document.hasExtractedLicensingInfos
  assert.ok(referred.includes(extracted.licenseId))
  assert.equal(extracted.extractedText, 'Our own licence')
})

test('a repository without dependencies makes a document that reads as empty', () => {
  const empty = [...writeSpdxJson({ ...sampleBill, items: [] })].join('')
  assert.deepEqual(spdxJson.read([Buffer.from(empty)], ''), { items: [], problems: [] })
})
