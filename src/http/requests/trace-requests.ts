import type { FastifyInstance } from 'fastify'
import type { ActiveSpan, Tracer } from '../../kernel/tracing/tracer.ts'
import { inTrace } from '../../kernel/tracing/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: ActiveSpan | undefined
  }
}

/** Asked every few seconds by machines: they are part of a trace only where somebody brings one. */
const probes = new Set(['/api/health-check', '/api/readiness-check', '/metrics'])

/** Continues the trace that a caller brings in `traceparent`, or begins one. No address, query or header goes into a span. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    // Node joins what is sent several times, so it is never a list.
    const span = tracer.begin(
      request.headers.traceparent as string | undefined,
      !probes.has(request.routeOptions.url ?? ''),
    )
    if (!span) return done()
    request.span = span
    inTrace(span.trace, done)
  })
  // Whatever waited for a body goes on in the context of the connection, which knows no trace.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span) inTrace(request.span.trace, done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { span, method, call } = request
    if (span) {
      const route = call?.route ?? request.routeOptions.url ?? 'none'
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'gatehouse.request_id': request.id,
        ...(call?.actor && { 'gatehouse.deployment': call.actor.deploymentId }),
        ...(request.faultCode && { 'error.type': request.faultCode }),
      }
      const start = { name: `${method} ${route}`, kind: 'server', attributes } as const
      span.end({ start, failed: reply.statusCode >= 500 })
    }
    done()
  })
}
