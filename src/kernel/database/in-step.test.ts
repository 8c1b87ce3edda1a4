import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import sql, { type Sql } from 'sql-template-tag'
import { inStep } from './in-step.ts'
import type { Transaction } from './transaction.ts'

/** Answers what is sent in one turn of the event loop together, in a later one, and keeps what went together. */
function wire(failing = '') {
  const trips: string[][] = []
  let open: string[] | undefined
  async function query(statement: Sql) {
    if (!open) {
      open = []
      trips.push(open)
    }
    open.push(statement.text)
    await turn()
    open = undefined
    if (statement.text === failing) throw new Error(failing)
    return [{ text: statement.text }]
  }
  return { trips, tx: { query } as unknown as Transaction }
}

/** A chain that sends these, one after the other. */
const chain =
  (...texts: string[]) =>
  async (tx: Transaction) => {
    for (const text of texts) await tx.query(sql([text]))
    return texts.length
  }

test('chains take as many round trips as the longest of them, and send in their order', async () => {
  const { trips, tx } = wire()
  assert.deepEqual(await inStep(tx, [chain('a1'), chain('b1', 'b2', 'b3'), chain(), chain('d1', 'd2')]), [1, 3, 0, 2])
  assert.deepEqual(trips, [['a1', 'b1', 'd1'], ['b2', 'd2'], ['b3']])
})

test('a chain that has something else to do first is waited for', async () => {
  const { trips, tx } = wire()
  const slow = async (tx: Transaction) => {
    await chain('a1')(tx)
    for (let n = 0; n < 5; n++) await turn()
    await chain('a2')(tx)
  }
  await inStep(tx, [slow, chain('b1', 'b2')])
  assert.deepEqual(trips, [
    ['a1', 'b1'],
    ['a2', 'b2'],
  ])
})

test('what a chain sends together stays together, and chains may have chains of their own', async () => {
  const { trips, tx } = wire()
  const several = (tx: Transaction) => Promise.all([tx.query(sql(['a1'])), tx.query(sql(['a2']))])
  const nested = (tx: Transaction) => inStep(tx, [chain('b1', 'b2'), chain('c1', 'c2')])
  await inStep(tx, [several, nested, chain('d1', 'd2', 'd3')])
  assert.deepEqual(trips, [['a1', 'a2', 'b1', 'c1', 'd1'], ['b2', 'c2', 'd2'], ['d3']])
})

test('where one fails, it is told when all have ended, and nothing is sent any more', async () => {
  const { trips, tx } = wire('b1')
  await assert.rejects(inStep(tx, [chain('a1', 'a2'), chain('b1', 'b2'), chain('c1', 'c2', 'c3')]), { message: 'b1' })
  assert.deepEqual(trips, [['a1', 'b1', 'c1'], ['a2', 'c2'], ['c3']])
})

test('a chain that waits for another holds nobody up for ever', async () => {
  const { tx } = wire()
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = async (tx: Transaction) => {
    await chain('a1')(tx)
    await promise
    return chain('a2')(tx)
  }
  const awaited = async (tx: Transaction) => {
    await chain('b1', 'b2')(tx)
    resolve()
  }
  assert.deepEqual(await inStep(tx, [waiting, awaited], 1), [1, undefined])
})
