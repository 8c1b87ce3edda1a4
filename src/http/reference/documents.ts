import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { matchesEtag } from '../../kernel/contract/if-none-match.ts'
import { openApiOf } from './openapi.ts'
import { errorsPage, referencePage, stylesheet } from './reference-page.ts'

const policy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'"
const pack = promisify(gzip)

/** What describes the interface, for programs and for people. */
export function serveDocuments(app: FastifyInstance, contracts: readonly Endpoint[]): void {
  const openApi = () => JSON.stringify(openApiOf(contracts, packageJson.version))
  app.get('/openapi.json', answerOnceMade('application/json; charset=utf-8', openApi))
  app.get(
    '/docs',
    answerOnceMade('text/html; charset=utf-8', () => referencePage(contracts)),
  )
  app.get('/docs/errors', answerOnceMade('text/html; charset=utf-8', errorsPage))
  app.get(
    '/docs/style.css',
    answerOnceMade('text/css; charset=utf-8', () => stylesheet),
  )
  app.get('/', (_, reply) => reply.redirect('/docs'))
}

type Made = { etag: string; plain: Buffer; packed: Buffer }

/** Anybody may ask for these, as often as they like, so each is made once, when it is first asked for. */
function answerOnceMade(type: string, make: () => string) {
  let made: Promise<Made> | undefined
  return async (request: FastifyRequest, reply: FastifyReply) => {
    made ??= whole(make())
    const { etag, plain, packed } = await made
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag })
    if (type.startsWith('text/html')) reply.header('content-security-policy', policy)
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    reply.type(type)
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    return takesGzip ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(plain)
  }
}

async function whole(text: string): Promise<Made> {
  const plain = Buffer.from(text)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`
  return { etag, plain, packed: await pack(plain) }
}
