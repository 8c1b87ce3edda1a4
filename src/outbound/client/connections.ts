import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { Pool } from 'undici'
import { createBroker } from '../broker.ts'
import { OutboundError } from '../outbound-error.ts'
import { createAddressRules } from '../ssrf-guard/address-rules.ts'
import { type Resolver, resolveChecked } from '../ssrf-guard/resolve.ts'
import { portOf } from '../ssrf-guard/url-rules.ts'
import { dial, secure, type Until } from './dial.ts'
import { createPools } from './pools.ts'

export type ConnectionOptions = {
  allow: string
  isOperators: (origin: string) => boolean
  proxy: string | undefined
  ca: string | undefined
  resolver: Resolver
  connectTimeoutMs: number
  connectionsPerPool: number
  maxPools: number
}

const everywhere = '0.0.0.0/0,::/0'

/** The pool, to be used at once: another request may push it out of its place at the next turn. */
type Route = () => Pool

/** Where a URL is allowed to lead, and the connections that lead there and nowhere else. */
export function createConnections(options: ConnectionOptions) {
  const { ca, resolver, connectTimeoutMs } = options
  const rules = createAddressRules(options.allow)
  // Addresses of metadata services stay out of reach: they are allowed only one by one.
  const operatorsRules = createAddressRules(`${everywhere},${options.allow}`)
  const broker = options.proxy ? createBroker(options.proxy, rules, resolver, { ca }) : undefined
  const pools = createPools(options)
  const closing = new AbortController()
  // Every open connection listens.
  setMaxListeners(0, closing.signal)

  /** Looks the name up and checks it again on every call; only what is dialled is kept. */
  async function direct(url: URL): Promise<Route> {
    const addresses = await resolveChecked(url, options.isOperators(url.origin) ? operatorsRules : rules, resolver)
    const target = { origin: url.origin, addresses, port: portOf(url) }
    return () => pool(`${url.origin} ${addresses.toSorted()}`, url, (until) => dial(target, until))
  }

  async function viaBroker(url: URL): Promise<Route> {
    // Not reached directly instead: the same name may be somebody else's out here.
    if (!broker) throw new OutboundError('bad_setting', 'No network broker is configured.')
    broker.check(url)
    return () => pool(`broker ${url.origin}`, url, (until) => broker.connect(url, until))
  }

  function pool(key: string, url: URL, reach: (until: Until) => Promise<Socket>): Pool {
    return pools.get(key, url.origin, async () => {
      const until = { deadline: performance.now() + connectTimeoutMs, closing: closing.signal }
      const socket = await reach(until)
      return url.protocol === 'https:' ? secure(socket, url, { ca }, until) : socket
    })
  }

  function close(): Promise<void> {
    closing.abort()
    return pools.close()
  }

  return { direct, viaBroker, close }
}
