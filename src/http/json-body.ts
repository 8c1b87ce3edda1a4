import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../kernel/fault.ts'

const maxDepth = 64
const openers = /[[{]/g

/** JSON as RFC 8259 wants it: UTF-8, bounded in depth, without keys that reach for prototypes. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json\s*(;|$)/i, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
      if (charset && charset.toLowerCase() !== 'utf-8') {
        throw new Fault('unsupported_media_type', `JSON is UTF-8; the charset '${charset.slice(0, 40)}' is not taken.`)
      }
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Fault('malformed_request', 'The body is not valid UTF-8.')
  const text = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Fault('malformed_request', `The body is not valid JSON: ${describe(error as Error)}`)
  }
  if ((text.match(openers)?.length ?? 0) > maxDepth && depthOf(value) > maxDepth) {
    throw new Fault('malformed_request', `The body is nested more than ${maxDepth} levels deep.`)
  }
  return value
}

/** V8's message quotes the document around the fault, which may be a secret: keep only the place. */
function describe(error: Error): string {
  const place = /at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(error.message)
  if (place?.[2]) return `line ${place[2]}, column ${place[3]}.`
  return place ? `at byte ${place[1]}.` : 'it ends too early.'
}

/** Level by level, so that no depth can exhaust the stack. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  let depth = 0
  while (level.length > 0) {
    const next: unknown[] = []
    for (const entry of level) {
      if (typeof entry === 'object' && entry !== null) next.push(...Object.values(entry))
    }
    if (next.length === 0) return depth
    level = next
    depth++
    if (depth > maxDepth) return depth
  }
  return depth
}
