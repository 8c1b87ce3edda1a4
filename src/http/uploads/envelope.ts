import { Fault } from '../../kernel/contract/fault.ts'
import { readableSize } from '../../kernel/text/readable-size.ts'
import { parseJson } from '../requests/json-body.ts'

type Chunks = AsyncIterable<Buffer>

/** What stands before the file, from the name of its member on; JSON allows blanks, and nobody sends many. */
const longestOpening = 200

/**
 * A JSON object one member of which is a file in base64 (RFC 4648 §4 and §5). The file is handed to `keep` as it arrives, and only
 * the rest is held and parsed. A quote in a string of JSON has a backslash before it, so the member is found without reading
 * what is around it. Returns the object without the member, and whether it was there.
 */
export async function readEnvelope(
  chunks: Chunks,
  member: string,
  mostBytes: number,
  keep: (content: Chunks) => Promise<void>,
): Promise<unknown> {
  const opening = new RegExp(`(?<!\\\\)"${member}"\\s{0,20}:\\s{0,20}"`)
  const input = chunks[Symbol.asyncIterator]()
  let rest = ''
  let taken = false
  let afterFile = ''

  async function nextText(): Promise<string | undefined> {
    const next = await input.next()
    return next.done ? undefined : next.value.toString('latin1')
  }

  async function* file(begin: string): AsyncGenerator<string> {
    for (let text: string | undefined = begin; text !== undefined; text = await nextText()) {
      const end = text.indexOf('"')
      yield end < 0 ? text : text.slice(0, end)
      if (end < 0) continue
      afterFile = text.slice(end)
      return
    }
    throw new Fault('malformed_request', 'The body is not valid JSON: it ends too early.')
  }

  for (let text = await nextText(); text !== undefined; text = await nextText()) {
    const from = Math.max(0, rest.length - longestOpening)
    rest += text
    const found = taken ? null : opening.exec(rest.slice(from))
    if (found) {
      const begin = from + found.index + found[0].length
      await keep(decoded(file(rest.slice(begin)), member))
      rest = rest.slice(0, begin) + afterFile
      taken = true
    }
    if (rest.length > mostBytes) {
      throw new Fault('payload_too_large', `The body without '${member}' may be at most ${readableSize(mostBytes)}.`)
    }
  }
  const body = parseJson(Buffer.from(rest, 'latin1'))
  if (!taken) return body
  const { [member]: emptied, ...others } = Object(body)
  if (emptied !== '') throw new Fault('malformed_request', `'${member}' must be a member of the body itself.`)
  return others
}

/** Four characters are three bytes, wherever the pieces are cut. */
async function* decoded(texts: AsyncIterable<string>, member: string): AsyncGenerator<Buffer> {
  let held = ''
  let isOver = false
  const bytesOf = (text: string): Buffer => {
    if (text !== '' && (isOver || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))) {
      throw new Fault('malformed_request', `'${member}' is not base64.`)
    }
    isOver = text.endsWith('=')
    return Buffer.from(text, 'base64')
  }
  for await (const text of texts) {
    const given = held + text
    // An escape that is cut in two waits for its other half.
    const cut = given.search(/\\(?:u[0-9A-Fa-f]{0,3})?$/)
    const plain = withoutEscapes(cut < 0 ? given : given.slice(0, cut))
    const usable = plain.length - (plain.length % 4)
    held = plain.slice(usable) + (cut < 0 ? '' : given.slice(cut))
    if (usable > 0) yield bytesOf(plain.slice(0, usable))
  }
  yield bytesOf(held)
}

/** Some writers of JSON escape slashes and equals signs, and some of base64 break its lines. */
function withoutEscapes(text: string): string {
  if (!/[\\\s]/.test(text)) return text
  return text
    .replace(/\\u([0-9A-Fa-f]{4})/g, (_, code) => String.fromCharCode(Number(`0x${code}`)))
    .replaceAll('\\/', '/')
    .replace(/\\[nrt]|\s/g, '')
}
