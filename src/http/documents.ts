import type { FastifyInstance } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import type { Endpoint } from '../kernel/endpoint.ts'
import { openApiOf } from './openapi.ts'
import { errorsPage, referencePage, stylesheet } from './reference-page.ts'

/** What describes the interface, for programs and for people. */
export function serveDocuments(app: FastifyInstance, contracts: readonly Endpoint[]): void {
  const policy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'"
  app.get('/openapi.json', (_, reply) => reply.send(openApiOf(contracts, packageJson.version)))
  app.get('/docs', (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html').send(referencePage(contracts)),
  )
  app.get('/docs/errors', (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html').send(errorsPage()),
  )
  app.get('/docs/style.css', (_, reply) => reply.type('text/css').send(stylesheet))
  app.get('/', (_, reply) => reply.redirect('/docs'))
}
