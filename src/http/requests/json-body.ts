import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'
import { countJson } from '../../kernel/text/bounded-json.ts'

const maxDepth = 64
/** More than any request has use for, and no more than is read in a moment. */
const mostContainers = 20_000
const mostNames = 40_000

/** JSON as RFC 8259 wants it: UTF-8, bounded in depth, each name once in its object. */
export function acceptJson(
  app: FastifyInstance,
  type: RegExp | '*' = /^application\/json\s*(;|$)/i,
  keepBytes?: (request: FastifyRequest, bytes: Buffer) => void,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
      // Encoding Standard §4.2: without its hyphen it is the same name, and clients write it so.
      if (charset && !/^utf-?8$/i.test(charset)) {
        throw new Fault('unsupported_media_type', `JSON is UTF-8; the charset '${charset.slice(0, 40)}' is not taken.`)
      }
      const coding = request.headers['content-encoding'] ?? 'identity'
      if (coding.toLowerCase() !== 'identity') {
        throw new Fault(
          'unsupported_media_type',
          `Send JSON without compression: the content coding '${coding.slice(0, 40)}' is not supported.`,
        )
      }
      if (keepBytes) keepBytes(request, body as Buffer)
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Fault('malformed_request', 'The body is not valid UTF-8.')
  const { containers, names, depth } = countJson(body)
  if (depth > maxDepth) {
    throw new Fault('malformed_request', `The body is nested more than ${maxDepth} levels deep.`)
  }
  if (containers > mostContainers || names > mostNames) {
    const most = `${mostContainers} arrays and objects and ${mostNames} names`
    throw new Fault('payload_too_large', `A body may contain at most ${most}.`)
  }
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Fault('malformed_request', `The body is not valid JSON: ${describe(error as Error)}`)
  }
  // Readers of JSON keep the last one: a filter that stood in the first would be dropped in silence. Every colon of a document
  // that is JSON follows a name, unless it is in a string.
  if (names !== membersIn(value)) {
    throw new Fault('malformed_request', 'An object in the body has a name more than once.')
  }
  return value
}

/** No deeper than bodies may be. By name, because lists of all names or values cost more than reading the body. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) for (const entry of value) members += membersIn(entry)
  else for (const name in value) members += 1 + membersIn((value as Record<string, unknown>)[name])
  return members
}

/** V8's message quotes the document around the fault, which may be a secret: keep only the place. */
function describe(error: Error): string {
  const place = /at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(error.message)
  if (place?.[2]) return `line ${place[2]}, column ${place[3]}.`
  if (place) return `at byte ${place[1]}.`
  return /end of JSON/.test(error.message) ? 'it ends too early.' : 'a character stands where it cannot.'
}
