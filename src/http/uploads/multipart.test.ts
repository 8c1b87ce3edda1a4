import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '../../kernel/contract/fault.ts'
import { boundaryOf, readMultipart } from './multipart.ts'

async function* inPieces(body: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function partsOf(body: string | Buffer, size = 7, boundary = 'XX'): Promise<[string, string][]> {
  const parts: [string, string][] = []
  for await (const part of readMultipart(inPieces(body, size), boundary)) {
    const pieces: Buffer[] = []
    for await (const piece of part.body) pieces.push(piece)
    parts.push([part.name, Buffer.concat(pieces).toString('latin1')])
  }
  return parts
}

function part(name: string, content: string): string {
  return `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
}

test('parts come out as they were put in, however the bytes arrive', async () => {
  const contents = ['', 'a', '\r\n', '--XX', '\r\n--X', '\r\n-', '--', '\r\n--Xx--', 'x'.repeat(100)]
  const body = `${contents.map((content, at) => part(`f${at}`, content)).join('')}--XX--\r\nafterwards`
  for (const size of [1, 2, 3, 5, 64, 10_000]) {
    assert.deepEqual(
      await partsOf(body, size),
      contents.map((content, at) => [`f${at}`, content]),
      `${size} bytes at a time`,
    )
  }
})

test('any bytes can be the content of a part', async () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 50 }), async (content, size) => {
      const text = Buffer.from(content).toString('latin1')
      fc.pre(!text.includes('\r\n--XX'))
      const body = Buffer.from(`${part('f', text)}--XX--`, 'latin1')
      assert.deepEqual(await partsOf(body, size), [['f', text]])
    }),
  )
})

test('what a reader leaves of a part is passed over', async () => {
  const names: string[] = []
  const body = `${part('a', 'x'.repeat(200))}${part('b', 'y')}--XX--`
  for await (const { name } of readMultipart(inPieces(body, 16), 'XX')) names.push(name)
  assert.deepEqual(names, ['a', 'b'])
})

const names: [header: string, name: string][] = [
  ['form-data; name="a/b.json"; filename="x"', 'a/b.json'],
  ['form-data; filename="x"; name="a"', 'a'],
  ['form-data; name=plain', 'plain'],
  ['form-data; name="a %22b%22.txt"', 'a "b".txt'],
  ['form-data; name="a \\"b\\".txt"', 'a "b".txt'],
  ['form-data; name="größe.lock"', 'größe.lock'],
  ['form-data; name="100%25"', '100%25'],
]

test('the name of a part', async () => {
  for (const [header, name] of names) {
    const body = Buffer.from(`--XX\r\nContent-Type: text/plain\r\ncontent-disposition: ${header}\r\n\r\n\r\n--XX--`)
    assert.deepEqual(await partsOf(body), [[name, '']], header)
  }
})

const broken: [why: string, body: string | Buffer][] = [
  ['nothing', ''],
  ['another boundary', part('a', 'b').replace('XX', 'YY')],
  ['text before the first boundary', `hello\r\n${part('a', 'b')}--XX--`],
  ['no end', part('a', 'b')],
  ['cut in the headers', '--XX\r\nContent-Disposition: form'],
  ['cut in the content', '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc'],
  ['cut in the last boundary', `${part('a', 'b')}--XX-`],
  ['no name', '--XX\r\nContent-Disposition: form-data\r\n\r\n\r\n--XX--'],
  ['no disposition', '--XX\r\nContent-Type: text/plain\r\n\r\n\r\n--XX--'],
  ['headers without end', `--XX\r\nX: ${'x'.repeat(20_000)}`],
  [
    'headers that are not UTF-8',
    Buffer.from('--XX\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n\r\n--XX--', 'latin1'),
  ],
  ['text after a boundary', '--XXYY\r\n\r\n\r\n--XX--'],
  [
    'a transfer encoding',
    '--XX\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--XX--',
  ],
]

test('what breaks the form is refused', async () => {
  for (const [why, body] of broken) {
    await assert.rejects(partsOf(body), (error) => error instanceof Fault && error.code === 'malformed_request', why)
  }
})

const types: [type: string | undefined, boundary: string | undefined][] = [
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
  ['multipart/form-data', undefined],
  ['multipart/form-data; boundary=', undefined],
  [`multipart/form-data; boundary=${'x'.repeat(71)}`, undefined],
  ['multipart/mixed; boundary=abc', undefined],
  ['application/json', undefined],
  [undefined, undefined],
]

test('the boundary', () => {
  for (const [type, boundary] of types) assert.equal(boundaryOf(type), boundary, type)
})
