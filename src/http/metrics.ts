import { createHash, timingSafeEqual } from 'node:crypto'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import { type Authenticator, actsAsOperator } from '../kernel/access/identity.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { bearerOf } from './requests/authorize.ts'

export type Gauges = Record<string, { help: string; read: () => number }>
/** One number for each value of a label. */
export type LabelledGauges = Record<string, LabelledGauge>
/** `isCounter`: it only ever grows while the process runs; its name ends in `_total`. */
type LabelledGauge = {
  help: string
  label: string
  isCounter?: boolean
  read: () => Promise<Map<string, number>> | Map<string, number>
}

/** Who may read them: whoever has the token that the operator set for it, and the operator. */
export type MetricsAccess = { authenticate: Authenticator; token: string | undefined }

/** `/metrics` for Prometheus, for the operator alone: they speak of the whole machine. No label names a tenant. */
export function serveMetrics(
  app: FastifyInstance,
  access: MetricsAccess,
  gauges: Gauges,
  labelled: LabelledGauges = {},
): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'gatehouse_' })
  const duration = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from request to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [registry],
  })
  for (const [name, { help, read }] of Object.entries(gauges)) {
    new Gauge({
      name: `gatehouse_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }
  for (const [name, each] of Object.entries(labelled)) addLabelled(registry, `gatehouse_${name}`, each)
  const refusals = new Counter({
    name: 'gatehouse_http_refusals_total',
    help: 'Requests that were answered with a problem, by its code',
    labelNames: ['code'],
    registers: [registry],
  })
  // Looked up once a route and status; finding it by its labels each time is not free.
  const known = new Map<string, Histogram.Internal<string>>()
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.call?.route ?? request.routeOptions.url ?? 'none'
    const key = `${method} ${route} ${reply.statusCode}`
    let series = known.get(key)
    if (!series) {
      series = duration.labels({ method, route, status: reply.statusCode })
      known.set(key, series)
    }
    series.observe(reply.elapsedTime / 1000)
    if (request.faultCode) refusals.inc({ code: request.faultCode })
    done()
  })
  app.get('/metrics', async (request, reply) => {
    await admit(access, bearerOf(request.headers.authorization))
    reply.header('content-type', registry.contentType)
    return registry.metrics()
  })
}

function addLabelled(registry: Registry, name: string, { help, label, isCounter, read }: LabelledGauge): void {
  const about = { name, help, labelNames: [label], registers: [registry] }
  // Read first: two who ask at once would both reset it, and then both count.
  if (isCounter) {
    new Counter({
      ...about,
      async collect() {
        const numbers = await read()
        this.reset()
        for (const [value, number] of numbers) this.inc({ [label]: value }, number)
      },
    })
    return
  }
  new Gauge({
    ...about,
    async collect() {
      const numbers = await read()
      this.reset()
      for (const [value, number] of numbers) this.set({ [label]: value }, number)
    },
  })
}

async function admit({ authenticate, token }: MetricsAccess, bearer: string): Promise<void> {
  if (token !== undefined && timingSafeEqual(digest(token), digest(bearer))) return
  const identity = await authenticate(bearer)
  if (!actsAsOperator(identity)) throw new Fault('forbidden', 'Only operators read the metrics.')
}

/** Of one length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
