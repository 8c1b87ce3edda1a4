import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decrypt, encrypt, newSalt } from './encryption.ts'
import { type Frame, readFrames, writeFrames } from './frames.ts'

const frames: Frame[] = [
  { type: 'header', header: { madeAt: '2026-11-16T00:00:00.000Z', version: '1', migrations: [] } },
  { type: 'table', table: 'one', columns: ['a', 'b'] },
  { type: 'rows', bytes: Buffer.from('1\t2\n') },
  { type: 'rows', bytes: Buffer.alloc(200_000, 'x') },
  { type: 'sequences', values: [{ name: 's', value: '7' }] },
]

async function* from<T>(items: T[]): AsyncGenerator<T> {
  yield* items
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

const written = async () => Buffer.concat(await all(writeFrames(from(frames))))

test('what was written is read again, however it is cut into pieces', async () => {
  const bytes = await written()
  for (const size of [1_000, 65_536, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    )
    assert.deepEqual(await all(readFrames(from(pieces))), frames)
  }
})

test('a byte that was changed, an end that is missing and something that follows are noticed', async () => {
  const bytes = await written()
  const changed = Buffer.from(bytes)
  changed[bytes.length - 100_000]! ^= 1
  for (const wrong of [changed, bytes.subarray(0, -1), bytes.subarray(0, -37), Buffer.concat([bytes, bytes])])
    await assert.rejects(all(readFrames(from([wrong]))), { name: 'BackupProblem' })
})

test('of what is encrypted no piece can be changed, left out, moved or added', async () => {
  const salt = newSalt()
  const content = Buffer.alloc(150_000, 'content')
  const pieces = await all(encrypt(from([content]), 'a passphrase', salt))
  const opened = (list: Buffer[], passphrase = 'a passphrase') => all(decrypt(from(list), passphrase, salt))
  assert.equal(pieces.length, 3)
  assert.deepEqual(Buffer.concat(await opened(pieces)), content)
  assert.ok(!Buffer.concat(pieces).includes('content'))
  const [a, b, c] = pieces as [Buffer, Buffer, Buffer]
  const flipped = Buffer.from(b)
  flipped[100]! ^= 1
  for (const wrong of [
    [a, b],
    [a, c],
    [b, a, c],
    [a, b, c, c],
    [a, flipped, c],
    [a, b, c.subarray(0, -1)],
  ])
    await assert.rejects(opened(wrong), { name: 'BackupProblem' })
  await assert.rejects(opened(pieces, 'another'), /cannot be decrypted/)
})
