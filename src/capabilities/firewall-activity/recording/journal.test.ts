import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createJournal } from './journal.ts'
import type { Segment } from './segment.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Remembers what it is given, and is done with it while there is room. */
function taker(room = Number.POSITIVE_INFINITY) {
  const taken: string[] = []
  const take = async ({ file }: Segment) => {
    if (taken.length >= room) return false
    taken.push(readFileSync(file, 'utf8'))
    return true
  }
  return { taken, take }
}

test('segments are handed over in their order, and those that are done with are gone', async (t) => {
  const folder = folderFor(t)
  const journal = createJournal(folder, { segmentBytes: 4, segments: 10 })
  for (const text of ['one ', 'two ', 'thr', 'ee']) journal.append(text)
  const [first, rest] = [taker(1), taker()]
  await journal.settle(first.take)
  await journal.settle(rest.take)
  journal.append('four')
  await journal.settle(rest.take)
  assert.deepEqual([first.taken, rest.taken], [['one '], ['two ', 'three', 'four']])
  journal.close()
  assert.deepEqual(readdirSync(folder), [])
})

test('while one is not done with, what comes is gathered until a segment is full, and no more than there is room for', async (t) => {
  const journal = createJournal(folderFor(t), { segmentBytes: 4, segments: 2 })
  const { take, taken } = taker(0)
  for (const text of ['1', '2', '3', '4']) {
    journal.append(text)
    await journal.settle(take)
  }
  assert.equal(journal.isFull(), false)
  journal.append('5')
  assert.equal(journal.isFull(), true)
  const later = taker()
  await journal.settle(later.take)
  assert.deepEqual([taken, later.taken, journal.isFull()], [[], ['1', '2345'], false])
  journal.close()
})

test('the journal of the living is left alone; that of the dead goes to whoever comes first', async (t) => {
  const folder = folderFor(t)
  const [one, other] = [createJournal(folder, { segmentBytes: 4, segments: 10 }), createJournal(folder)]
  for (const text of ['full', 'half']) one.append(text)
  one.append('!')
  other.append('own')
  const early = taker()
  await other.settleLeft(early.take)
  assert.deepEqual(early.taken, [])

  one.close()
  const [interrupted, late] = [taker(2), taker()]
  await other.settleLeft(interrupted.take)
  await other.settleLeft(late.take)
  assert.deepEqual([interrupted.taken, late.taken], [['full', 'half'], ['!']])
  await other.settle(late.take)
  other.close()
  assert.deepEqual(late.taken, ['!', 'own'])
  assert.deepEqual(readdirSync(folder), [])
})

test('two who come at once do not both take it', async (t) => {
  const folder = folderFor(t)
  const [dead, one, other] = [createJournal(folder), createJournal(folder), createJournal(folder)]
  dead.append('left')
  dead.close()
  const { take, taken } = taker()
  await Promise.all([one.settleLeft(take), other.settleLeft(take)])
  assert.deepEqual(taken, ['left'])
})
