import { isUtf8 } from 'node:buffer'
import { Fault } from '../../kernel/contract/fault.ts'

export type Part = { name: string; body: AsyncIterable<Buffer> }

const maxHeaderBytes = 8 * 1024
const lineBreak = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')

/** RFC 2046 §5.1.1; undefined where the media type is another one. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) return undefined
  const match = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType!)
  const boundary = match?.[1] ?? match?.[2] ?? ''
  return /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary) ? boundary : undefined
}

/**
 * The parts of a multipart/form-data body (RFC 7578), as they arrive: nothing is held but the piece at hand. A part must be
 * used before the next one; what is left of it is passed over. Strict: what breaks the form is a Fault.
 */
export async function* readMultipart(chunks: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const input = chunks[Symbol.asyncIterator]()
  // The first delimiter has no line before it; with this one it is like all others.
  let held: Buffer = lineBreak

  async function more(): Promise<void> {
    const next = await input.next()
    if (next.done) throw broken('it ends before its last boundary')
    held = Buffer.concat([held, next.value])
  }

  /** Everything up to a mark, which is dropped. */
  async function through(mark: Buffer, limit: number, what: string): Promise<Buffer> {
    for (;;) {
      const at = held.indexOf(mark)
      if (at > limit || (at < 0 && held.length > limit + mark.length)) throw broken(what)
      if (at >= 0) {
        const before = held.subarray(0, at)
        held = held.subarray(at + mark.length)
        return before
      }
      await more()
    }
  }

  async function* body(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = held.indexOf(delimiter)
      const safe = at >= 0 ? at : held.length - delimiter.length + 1
      const piece = held.subarray(0, Math.max(0, safe))
      held = held.subarray(at >= 0 ? at + delimiter.length : piece.length)
      if (piece.length > 0) yield piece
      if (at >= 0) return
      await more()
    }
  }

  await through(delimiter, 0, 'it does not begin with its boundary')
  for (;;) {
    while (held.length < 2) await more()
    if (held[0] === 0x2d && held[1] === 0x2d) break
    await through(lineBreak, 0, 'a boundary is not followed by a line break')
    const headers = await through(headerEnd, maxHeaderBytes, 'the headers of a part are too long or not closed')
    const content = body()
    yield { name: nameOf(headers), body: content }
    for await (const _ of content);
  }
  // What comes after the last boundary means nothing, but has to arrive before the request is whole.
  while (!(await input.next()).done);
}

function nameOf(headers: Buffer): string {
  if (!isUtf8(headers)) throw broken('the headers of a part are not UTF-8')
  const lines = headers.toString('utf8').split('\r\n')
  const encoding = lines.find((line) => /^content-transfer-encoding\s*:/i.test(line))
  if (encoding && !/:\s*(binary|8bit|7bit)\s*$/i.test(encoding)) {
    throw broken('a part has a Content-Transfer-Encoding, which RFC 7578 §4.7 has done away with')
  }
  const disposition = lines.find((line) => /^content-disposition\s*:\s*form-data\s*;/i.test(line))
  const match = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition ?? '')
  const name = match?.[1] ?? match?.[2]
  if (!name) throw broken('a part has no name')
  // Browsers and curl write a quote as %22 (WHATWG form data encoding), older tools as \".
  return name
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0D|0A)/gi, (_, code) => String.fromCharCode(Number(`0x${code}`)))
}

function broken(why: string): Fault {
  return new Fault('malformed_request', `The multipart body cannot be read: ${why}.`)
}
