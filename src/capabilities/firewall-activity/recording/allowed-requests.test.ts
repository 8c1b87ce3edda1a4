import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { unreachable } from '../../../kernel/database/connections/connection.ts'
import { createAllowedRequests } from './allowed-requests.ts'
import type { EventBatch } from './event-batch.ts'
import { createJournal } from './journal.ts'

const at = new Date('2026-03-01T10:20:30.456Z')
const event = { deploymentId: 1, ecosystem: 'npm', version: '1.0.0', refused: false, advisoryId: '' } as const

function open(t: TestContext, { isBroken = false, segments = 256 } = {}) {
  const base = mkdtempSync(join(tmpdir(), 'gatehouse-passes-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, 'journal')
  if (isBroken) writeFileSync(folder, 'in its way')
  const journal = createJournal(folder, { segmentBytes: 1, segments })
  t.after(() => journal.close())
  const said: { msg: string; forgotten?: number }[] = []
  const log = pino({}, { write: (line) => void said.push(JSON.parse(line)) })
  const database: { failure?: unknown; counted: string[]; batches: EventBatch[] } = { counted: [], batches: [] }
  const write = async (_deploymentId: number, batch: EventBatch) => {
    if (database.failure) throw database.failure
    database.batches.push(batch)
    database.counted.push(...batch.artifacts.map(({ name }) => name))
  }
  const passes = createAllowedRequests({ journal, write, log })
  const record = (name: string) => passes.record({ ...event, name, at, personId: 1, tokenId: 1 })
  return { passes, record, database, said, folder }
}

test('what is recorded in one turn is noted together, and counted once', async (t) => {
  const { passes, record, database } = open(t)
  const [one, two] = [record('a'), record('b')]
  assert.equal(one, two)
  await one
  await passes.flush()
  void record('c')
  await passes.flush()
  await passes.flush()
  assert.deepEqual(database.counted, ['a', 'b', 'c'])
})

const failures: [string, unknown, string[]][] = [
  ['that the database is away', unreachable(), ['a', 'b']],
  ['that its disk is full', Object.assign(new Error('disk full'), { code: '53100' }), ['a', 'b']],
  ['that it has become one that only reads', Object.assign(new Error('read-only'), { code: '25006' }), ['a', 'b']],
  ['that the deployment is gone', Object.assign(new Error('no such key'), { code: '23503' }), ['b']],
]
for (const [what, failure, counted] of failures) {
  for (const isBroken of [false, true]) {
    const where = isBroken ? 'memory, because the journal cannot be written' : 'the journal'
    test(`${what} is ${counted.length > 1 ? 'outlasted' : 'the end of it'} in ${where}`, async (t) => {
      const { passes, record, database, said } = open(t, { isBroken })
      await record('a')
      database.failure = failure
      await passes.flush()
      delete database.failure
      await record('b')
      await passes.flush()
      assert.deepEqual(database.counted, counted)
      assert.equal(
        said.some(({ msg }) => msg.includes('in memory only')),
        isBroken,
      )
    })
  }
}

test('when there is no more room they are let through uncounted, and the log says how many', async (t) => {
  const { passes, record, database, said } = open(t, { segments: 2 })
  database.failure = unreachable()
  for (const name of ['a', 'b', 'c', 'd']) await record(name)
  await passes.flush()
  delete database.failure
  await passes.flush()
  assert.deepEqual(database.counted, ['a', 'b'])
  assert.deepEqual(
    said.flatMap(({ forgotten }) => forgotten ?? []),
    [2],
  )
})

test('what this process noted itself is not read again; what piled up while the database was away is, and counts the same', async (t) => {
  const { passes, record, database, folder } = open(t)
  const names = Array.from({ length: 12 }, (_, i) => `package-${i}`)
  database.failure = unreachable()
  for (const name of names) {
    await record(name)
    await passes.flush()
  }
  delete database.failure
  // Those that are still in memory count all the same.
  const files = readdirSync(folder).filter((file) => file.endsWith('.events'))
  const numbers = files.map((file) => Number(file.split('.')[1])).sort((a, b) => a - b)
  for (const file of files.filter((file) => numbers.indexOf(Number(file.split('.')[1])) < 8)) {
    writeFileSync(join(folder, file), '')
  }
  await passes.flush()
  assert.deepEqual(database.counted, names)
  const [kept, read] = [database.batches[0]!, database.batches.at(-1)!]
  assert.deepEqual({ ...read, artifacts: kept.artifacts }, kept)
})
