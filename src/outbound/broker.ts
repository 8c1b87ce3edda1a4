import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { dial, secure, type TlsTrust, type Until } from './client/dial.ts'
import { OutboundError } from './outbound-error.ts'
import type { AddressRules } from './ssrf-guard/address-rules.ts'
import { blocked, type Resolver } from './ssrf-guard/resolve.ts'
import { hostOf, portOf } from './ssrf-guard/url-rules.ts'

export type Broker = { connect(target: URL, until: Until): Promise<Socket>; check(target: URL): void }

/**
 * A CONNECT proxy (RFC 9110 §9.3.6) that reaches networks we cannot. Its own address comes from the operator and is not
 * held to the address rules. It looks names up itself, so what a name leads to is for its own rules to say; a target given
 * as an address is checked here all the same, but may be private, for which the broker exists.
 */
export function createBroker(setting: string, rules: AddressRules, resolver: Resolver, trust: TlsTrust): Broker {
  const proxy = URL.parse(setting)
  if (!proxy || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new OutboundError('bad_setting', 'The address of the network broker must be an http or https URL.')
  }
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const authorization = login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }

  function check(target: URL): void {
    const host = hostOf(target)
    if (/(^|\.)localhost\.?$/.test(host)) throw blocked(target, 'loopback', host)
    const word = isIP(host) ? rules(host) : undefined
    if (word && word !== 'private' && word !== 'carrier-grade NAT') throw blocked(target, word, host)
  }

  async function connect(target: URL, until: Until): Promise<Socket> {
    const host = hostOf(proxy!)
    try {
      const addresses = isIP(host) ? [host] : await resolver(host)
      const plain = await dial({ origin: proxy!.origin, addresses, port: portOf(proxy!) }, until)
      const socket = proxy!.protocol === 'https:' ? await secure(plain, proxy!, trust, until) : plain
      return await tunnel(socket, target, authorization, until)
    } catch (error) {
      if (error instanceof OutboundError && error.reason === 'timeout') throw error
      const detail = error instanceof OutboundError ? error.detail : (error as NodeJS.ErrnoException).code
      throw new OutboundError(
        'broker',
        `The network broker cannot reach ${target.origin} (${detail ?? 'no code'}).`,
        detail,
      )
    }
  }

  return { check, connect }
}

function tunnel(socket: Socket, target: URL, headers: Record<string, string>, { deadline }: Until): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${target.hostname}:${portOf(target)}`
    const ask = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...headers },
      createConnection: () => socket,
    })
    const fail = (error: OutboundError) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const refusal = (code: string) => fail(new OutboundError('broker', 'The network broker refused.', code))
    const timer = setTimeout(
      () => fail(new OutboundError('timeout', `The network broker took too long to reach ${target.origin}.`)),
      Math.max(1, deadline - performance.now()),
    )
    ask.on('connect', ({ statusCode }, tunnelled, head) => {
      if (statusCode !== 200) return refusal(`status ${statusCode}`)
      // We speak first in HTTP and in TLS: bytes that are here already come from the broker and not from the target.
      if (head.length > 0) return refusal('unexpected bytes')
      clearTimeout(timer)
      resolve(tunnelled as Socket)
    })
    ask.on('response', ({ statusCode }) => refusal(`status ${statusCode}`))
    ask.on('error', (error: NodeJS.ErrnoException) => refusal(error.code ?? 'no code'))
    ask.end()
  })
}
