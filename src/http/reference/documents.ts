import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import { takesCoding } from '../../kernel/contract/accept-encoding.ts'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { matchesEtag } from '../../kernel/contract/if-none-match.ts'
import { recordedExamples } from './examples.ts'
import { openApiOf } from './openapi.ts'
import { errorsPage, referencePage, stylesheet } from './reference-page.ts'

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'"
const packGzip = promisify(gzip)
const packBrotli = promisify(brotliCompress)

/** What describes the interface, for programs and for people. */
export function serveDocuments(app: FastifyInstance, contracts: readonly Endpoint[]) {
  const openApi = onceMade(() => JSON.stringify(openApiOf(contracts, packageJson.version, recordedExamples)))
  const reference = onceMade(() => referencePage(contracts, recordedExamples))
  const style = onceMade(() => stylesheet)
  const script = onceMade(() => readFileSync(join(import.meta.dirname, 'reference-search.js'), 'utf8'))
  app.get('/openapi.json', answerWith('application/json; charset=utf-8', openApi))
  app.get('/docs', answerWith('text/html; charset=utf-8', reference))
  app.get('/docs/errors', answerWith('text/html; charset=utf-8', onceMade(errorsPage)))
  app.get('/docs/style.css', answerWith('text/css; charset=utf-8', style))
  app.get('/docs/search.js', answerWith('text/javascript; charset=utf-8', script))

  /** Before anybody can ask: these two take the one thread about a tenth of a second. */
  async function make(): Promise<void> {
    await Promise.all([openApi(), reference()])
  }

  return { make }
}

type Encoding = 'br' | 'gzip' | 'identity'
type Made = { etag: string } & Record<Encoding, Buffer>

/** Anybody may ask for these, as often as they like, so each is made once. */
function onceMade(make: () => string): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => {
    made ??= whole(make())
    return made
  }
}

function answerWith(type: string, document: () => Promise<Made>) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { etag, ...bodies } = await document()
    // Weak: one tag for all encodings.
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag: `W/${etag}` })
    if (type.startsWith('text/html')) reply.header('content-security-policy', policy)
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type(type).send(bodies[encoding])
  }
}

/** The smallest that the client takes. */
function encodingFor(header: string | string[] | undefined): Encoding {
  if (takesCoding(header, 'br')) return 'br'
  return takesCoding(header, 'gzip') ? 'gzip' : 'identity'
}

async function whole(text: string): Promise<Made> {
  const identity = Buffer.from(text)
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 27)}"`
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  const [br, packed] = await Promise.all([packBrotli(identity, { params }), packGzip(identity)])
  return { etag, identity, br, gzip: packed }
}
