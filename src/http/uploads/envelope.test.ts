import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEnvelope } from './envelope.ts'

async function read(text: string, pieceLength: number, mostBytes = 1_000): Promise<{ body: unknown; file?: string }> {
  async function* pieces() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength)
  }
  let file: string | undefined
  const body = await readEnvelope(pieces(), 'bom', mostBytes, async (content) => {
    const parts: Buffer[] = []
    for await (const part of content) parts.push(part)
    file = Buffer.concat(parts).toString()
  })
  return { body, ...(file !== undefined && { file }) }
}

const content = 'what is in the file: ÄÖÜ??>>'
const base64 = Buffer.from(content).toString('base64')
const cases: [why: string, text: string, body: unknown][] = [
  ['first', `{"bom":"${base64}","a":1}`, { a: 1 }],
  ['last, with blanks', `{"a":"ä" ,\n "bom" : "${base64}" }`, { a: 'ä' }],
  ['escaped', `{"bom":"${base64.replaceAll('/', '\\/').replaceAll('=', '\\u003d')}"}`, {}],
  ['in lines', `{"bom":"${base64.replace(/.{10}/g, '$&\\r\\n')}"}`, {}],
  ['of the other alphabet', `{"bom":"${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}"}`, {}],
  ['beside a name that ends like it', `{"x\\"bom":"1","bom":"${base64}"}`, { 'x"bom': '1' }],
]

test('the file is found and decoded, wherever the pieces are cut', async () => {
  for (const [why, text, body] of cases) {
    for (const pieceLength of [1, 2, 3, 5, 7, 1000]) {
      assert.deepEqual(await read(text, pieceLength), { body, file: content }, `${why} by ${pieceLength}`)
    }
  }
})

test('without the file, or with null in its place, there is none', async () => {
  assert.deepEqual(await read('{"a":1}', 3), { body: { a: 1 } })
  assert.deepEqual(await read('{"bom":null}', 3), { body: { bom: null } })
})

test('what is not such an envelope is refused', async () => {
  const refused: [text: string, code: string][] = [
    [`{"bom":"${base64}`, 'malformed_request'],
    ['{"bom":"%%%%"}', 'malformed_request'],
    ['{"bom":"QQ==QQ=="}', 'malformed_request'],
    ['{"bom":"QQ==","bom":"QQ=="}', 'malformed_request'],
    ['{"a":{"bom":"QQ=="}}', 'malformed_request'],
    ['["bom","QQ=="', 'malformed_request'],
    [`{"bom":"QQ==","a":"${'x'.repeat(1_000)}"}`, 'payload_too_large'],
  ]
  for (const [text, code] of refused) {
    for (const pieceLength of [1, 4, 2000]) await assert.rejects(read(text, pieceLength), { code }, text.slice(0, 40))
  }
})
