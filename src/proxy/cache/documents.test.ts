import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Fault } from '../../kernel/contract/fault.ts'
import { createDisk } from './disk.ts'
import { createDocuments, type Fetched } from './documents.ts'

const memoryBytes = 256 * 1024
const freshMs = 1_000
const keys = Array.from({ length: 100 }, (_, at) => `document ${at}`)

function openDocuments(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-documents-'))
  const clock = { ms: 0 }
  const documents = createDocuments({
    disk: createDisk({ folder, maxBytes: 1024 ** 3 }),
    memoryBytes,
    patienceMs: 60_000,
    now: () => clock.ms,
    read: (body) => body.toString(),
  })
  t.after(async () => {
    await documents.settle()
    rmSync(folder, { recursive: true, force: true })
  })
  const get = (key: string, fetched: () => Fetched) => documents.get(key, { freshMs, fetch: async () => fetched() })
  /** How many of them are in memory. */
  const kept = () => keys.filter((key) => documents.peek(key, Number.POSITIVE_INFINITY)).length
  return { documents, clock, get, kept }
}

const found = (bytes: number) => (): Fetched => ({ state: 'found', body: Buffer.alloc(bytes, 'x'), contentType: '' })
const same = (): Fetched => ({ state: 'same' })
const outage = (): Fetched => {
  throw new Fault('unavailable', 'Not now.')
}

for (const [what, later] of Object.entries({ 'has not changed': same, 'cannot be asked for again': outage })) {
  test(`a document that ${what} counts as much in memory as before`, async (t) => {
    const { documents, clock, get, kept } = openDocuments(t)
    for (const key of keys) await get(key, found(16 * 1024))
    await documents.settle()
    const atFirst = kept()
    assert.ok(atFirst > 0 && atFirst <= memoryBytes / (16 * 1024), String(atFirst))
    for (let round = 0; round < 2; round++) {
      clock.ms += 60_000
      for (const key of keys) assert.ok(await get(key, later))
      assert.equal(kept(), atFirst)
    }
  })
}

test('one that is larger than a quarter of the memory is kept, and leaves room for others', async (t) => {
  const { get, kept } = openDocuments(t)
  for (const key of keys.slice(0, 10)) await get(key, found(2 * memoryBytes))
  assert.equal(kept(), 4)
})
