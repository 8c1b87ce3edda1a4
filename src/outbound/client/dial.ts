import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { OutboundError } from '../outbound-error.ts'
import { hostOf } from '../ssrf-guard/url-rules.ts'

/** `alpn`: what is spoken inside (RFC 7301); HTTP where absent, nothing said where empty. */
export type TlsTrust = { ca?: string | undefined; alpn?: string[] }
/** What to dial, and until when: a time of `performance.now()`, and a signal for when Gatehouse closes. */
export type Target = { origin: string; addresses: string[]; port: number }
export type Until = { deadline: number; closing: AbortSignal }

/**
 * Connects to one of the addresses, in their order, and to nothing else: an address needs no look-up, so a name that has
 * changed its mind since it was checked is not asked again. Each gets an even share of the time that is left.
 */
export async function dial({ origin, addresses, port }: Target, { deadline, closing }: Until): Promise<Socket> {
  let failure: OutboundError | undefined
  for (const [at, address] of addresses.entries()) {
    const share = (deadline - performance.now()) / (addresses.length - at)
    const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: true, signal: closing })
    try {
      return await ready(socket, 'connect', share, 'connect', origin)
    } catch (error) {
      failure = error as OutboundError
    }
  }
  throw failure ?? new OutboundError('connect', `${origin} has no address.`)
}

/** TLS for the name in the URL, whatever address it is spoken to. */
export function secure(socket: Socket, url: URL, trust: TlsTrust, { deadline }: Until): Promise<Socket> {
  const host = hostOf(url).replace(/\.$/, '')
  const tls = connectTls({
    socket,
    host,
    // RFC 6066 §3: no addresses in the server name.
    ...(isIP(host) ? {} : { servername: host }),
    ...(trust.ca === undefined ? {} : { ca: trust.ca }),
    ...(trust.alpn?.length === 0 ? {} : { ALPNProtocols: trust.alpn ?? ['http/1.1'] }),
    minVersion: 'TLSv1.2',
    // Said aloud, since an environment variable can turn it off for the whole process.
    rejectUnauthorized: true,
  })
  return ready(tls, 'secureConnect', deadline - performance.now(), 'tls', url.origin)
}

function ready(socket: Socket, event: string, ms: number, reason: 'connect' | 'tls', origin: string): Promise<Socket> {
  // Stays on for good: between here and the HTTP client's own handler an error would end the process.
  socket.on('error', () => {})
  return new Promise((resolve, reject) => {
    const step = reason === 'tls' ? 'agree on TLS with' : 'connect to'
    const fail = (why: 'connect' | 'tls' | 'timeout', code: string) => {
      socket.destroy()
      reject(new OutboundError(why, `Cannot ${step} ${origin} (${code}).`, code))
    }
    const timer = setTimeout(fail, Math.max(1, ms), 'timeout', 'timed out')
    const onError = (error: NodeJS.ErrnoException) => fail(reason, error.code ?? 'no code')
    const onClose = () => fail(reason, 'closed')
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', onError).off('close', onClose)
      resolve(socket)
    })
    socket.once('error', onError).once('close', onClose)
    socket.once('close', () => clearTimeout(timer))
  })
}
