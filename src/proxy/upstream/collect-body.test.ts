import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { collectBody, ownerOf } from './collect-body.ts'

const mebibyte = 1024 * 1024
const chunk = Buffer.alloc(16 * mebibyte)
const large = (mebibytes: number) => Readable.from(Array.from({ length: mebibytes / 16 }, () => chunk))

test('documents of one registry take half of the memory at most, and the others the rest', async () => {
  const held = [await collectBody(large(128), 'greedy'), await collectBody(large(128), 'greedy')]
  await assert.rejects(collectBody(large(16), 'greedy'), { code: 'unavailable' })
  const other = await collectBody(large(128), 'other')
  assert.equal(other.body.length, 128 * mebibyte)
  // Twice is once.
  for (const { release } of [...held, other, ...held]) release()
  const again = await collectBody(large(128), 'greedy')
  again.release()
})

test('what broke off takes nothing', async () => {
  async function* breaking() {
    yield chunk
    throw new Error('gone')
  }
  for (let count = 0; count < 40; count++)
    await assert.rejects(collectBody(Readable.from(breaking()), 'broken'), /gone/)
  ;(await collectBody(large(128), 'broken')).release()
})

test('all registries of a deployment are one owner', () => {
  assert.equal(ownerOf('deployment-12-3-abcdef'), 'deployment-12')
  assert.equal(ownerOf('standard-npm-abcdef'), 'standard-npm-abcdef')
})
