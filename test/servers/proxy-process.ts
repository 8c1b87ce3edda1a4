import pino from 'pino'
import { createRegistryLimits } from '../../src/http/registry/registry-limits.ts'
import { createRegistryMount } from '../../src/http/registry/registry-mount.ts'
import { createServer } from '../../src/http/server.ts'
import type { Database } from '../../src/kernel/database/database.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { createOutbound } from '../../src/outbound/client/client.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import type { KeyRing } from '../../src/vault/key-ring.ts'
import { createTestFirewall, noUpstreams } from './proxy-gatehouse.ts'

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
  upstreams: { ...noUpstreams, npm },
  goSumdb: undefined,
  dataFolder: folder,
  cacheBytes: Number(cacheBytes),
})
const app = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
app.decorateRequest('call', undefined)
const mount = createRegistryMount(app, {
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
  limits: createRegistryLimits({ perMinute: 1_000_000, clock: systemClock }),
  log: pino({ level: 'silent' }),
})
for (const front of proxy.fronts) mount(front)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
