import type { Socket } from 'node:net'
import type { Pool } from 'undici'
import { createAddressRules } from './address-rules.ts'
import { createBroker } from './broker.ts'
import { dial, secure } from './dial.ts'
import { OutboundError } from './outbound-error.ts'
import { createPools } from './pools.ts'
import { type Resolver, resolveChecked } from './resolve.ts'
import { portOf } from './url-rules.ts'

export type ConnectionOptions = {
  allow: string
  proxy: string | undefined
  ca: string | undefined
  resolver: Resolver
  connectTimeoutMs: number
  connectionsPerPool: number
  maxPools: number
}

/** Where a URL is allowed to lead, and the connections that lead there and nowhere else. */
export function createConnections(options: ConnectionOptions) {
  const { ca, resolver, connectTimeoutMs } = options
  const rules = createAddressRules(options.allow)
  const broker = options.proxy ? createBroker(options.proxy, rules, resolver, { ca }) : undefined
  const pools = createPools(options)

  /** Looks the name up and checks it anew on every call; only what is dialled is kept. */
  async function direct(url: URL): Promise<Pool> {
    const addresses = await resolveChecked(url, rules, resolver)
    return pool(`${url.origin} ${addresses.toSorted()}`, url, (deadline) =>
      dial(url.origin, addresses, portOf(url), deadline),
    )
  }

  async function viaBroker(url: URL): Promise<Pool> {
    // Not reached directly instead: the same name may be somebody else's out here.
    if (!broker) throw new OutboundError('bad_setting', 'No network broker is configured.')
    broker.check(url)
    return pool(`broker ${url.origin}`, url, (deadline) => broker.connect(url, deadline))
  }

  function pool(key: string, url: URL, reach: (deadline: number) => Promise<Socket>): Pool {
    return pools.get(key, url.origin, async () => {
      const deadline = performance.now() + connectTimeoutMs
      const socket = await reach(deadline)
      return url.protocol === 'https:' ? secure(socket, url, { ca }, deadline) : socket
    })
  }

  return { direct, viaBroker, close: pools.close }
}
