import pino from 'pino'
import { createFrontDoor } from '../src/http/front.ts'
import { createFrontLimits } from '../src/http/front-limits.ts'
import { createServer } from '../src/http/server.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { Database } from '../src/kernel/database.ts'
import { createOutbound } from '../src/outbound/client.ts'
import { createProxy } from '../src/proxy/proxy.ts'
import type { KeyRing } from '../src/vault/key-ring.ts'
import { createTestFirewall } from './proxy-house.ts'

/** The fronts of the proxy as a process of their own that a test can kill: everybody may come in, nothing is refused. */
const [folder = '', npm = '', cacheBytes = ''] = process.argv.slice(2)
const db = { as: () => ({ deploymentId: 1, query: async () => [] }) } as unknown as Database
const proxy = createProxy({
  db,
  ring: {} as KeyRing,
  firewall: createTestFirewall().firewall,
  outbound: createOutbound({ allow: '' }),
  egressAllow: '',
  mayCarryCredentials: () => false,
  upstreams: { npm, pypi: undefined, maven: undefined },
  dataFolder: folder,
  cacheBytes: Number(cacheBytes),
})
const app = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
app.decorateRequest('call', undefined)
const door = createFrontDoor(app, {
  authenticate: async () => ({
    kind: 'token',
    personId: 1,
    tokenId: 1,
    sessionId: '',
    operator: false,
    roles: new Map([[1, 'readonly']]),
    scopes: undefined,
    webApi: true,
  }),
  publicUrl: undefined,
  limits: createFrontLimits({ perMinute: 1_000_000, clock: systemClock }),
  log: pino({ level: 'silent' }),
})
for (const front of proxy.fronts) door(front)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
