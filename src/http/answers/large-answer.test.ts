import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import Type from 'typebox'
import { turnsOf } from '../../../test/turns.ts'
import { isLarge, writeLarge } from './large-answer.ts'

const Entry = Type.Object({ id: Type.String(), text: Type.String(), words: Type.Array(Type.String()) })
const List = Type.Object({
  entries: Type.Array(Entry),
  others: Type.Array(Type.Integer()),
  missing: Type.Optional(Type.String()),
  one: Type.Object({ id: Type.String() }),
  cursor: Type.Union([Type.String(), Type.Null()]),
  hasMore: Type.Boolean(),
})

const entry = (at: number, length: number) => ({
  id: String(at),
  text: `"${'é\n'.repeat(length / 2)}`,
  words: ['a', '\\'],
  secret: 'not in the contract',
})
const answerOf = (count: number, length: number) => ({
  entries: Array.from({ length: count }, (_, at) => entry(at, length)),
  others: [],
  one: { id: '1', secret: 'not in the contract' },
  cursor: null,
  hasMore: false,
  secret: 'not in the contract',
})

/** What a client gets of it, and whether it was written entry by entry. */
async function written(answer: object) {
  const app = fastify()
  let large = false
  let turns: Awaited<ReturnType<typeof turnsOf<Buffer>>> | undefined
  app.get('/', { schema: { response: { 200: List } } }, async (_, reply) => {
    large = isLarge(List, answer)
    if (!large) return answer
    turns = await turnsOf(() => writeLarge(List, answer, reply))
    return reply.type('application/json; charset=utf-8').send(turns.result)
  })
  const { body, headers } = await app.inject('/')
  await app.close()
  return { body, type: headers['content-type'], isLarge: large, turns }
}

function expected({ entries, others, cursor, hasMore }: ReturnType<typeof answerOf>) {
  return { entries: entries.map(({ secret: _, ...rest }) => rest), others, one: { id: '1' }, cursor, hasMore }
}

for (const [what, answer, isLarge] of [
  ['a small list', answerOf(3, 10), false],
  ['a large list', answerOf(300, 2_000), true],
  ['one large entry', answerOf(1, 400_000), true],
] as const) {
  test(`${what} is answered as its contract has it`, async () => {
    const got = await written(answer)
    assert.deepEqual(JSON.parse(got.body), expected(answer))
    assert.equal(got.type, 'application/json; charset=utf-8')
    assert.equal(got.isLarge, isLarge)
  })
}

test('a page of large entries holds up nobody', async () => {
  const { turns } = await written(answerOf(100, 1_000_000))
  const { longestMs, totalMs } = turns!
  assert.ok(longestMs * 4 < totalMs, `${longestMs} of ${totalMs} ms of the processor at once`)
})
