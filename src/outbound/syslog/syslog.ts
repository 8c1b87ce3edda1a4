import type { Socket } from 'node:net'
import { Transient } from '../../kernel/jobs/job.ts'
import { dial, secure } from '../client/dial.ts'
import { createAddressRules } from '../ssrf-guard/address-rules.ts'
import { type Resolver, resolveChecked, systemResolver } from '../ssrf-guard/resolve.ts'

export type SyslogServer = { host: string; port: number; tls: boolean }

export type SyslogOptions = {
  server: SyslogServer
  /** GATEHOUSE_EGRESS_ALLOW. */
  allow: string
  ca?: string | undefined
  resolver?: Resolver | undefined
  timeoutMs?: number | undefined
}

export type Syslog = ReturnType<typeof createSyslog>

/** Reads `tls://host:6514` or `tcp://host:601`. Undefined for anything else. */
export function parseSyslogServer(text: string): SyslogServer | undefined {
  const url = /^(tls|tcp):\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (!url?.hostname || url.port === '0' || !/^\/?$/.test(url.pathname)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  const tls = url.protocol === 'tls:'
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (tls ? 6514 : 601)), tls }
}

/** Sends messages (RFC 5424) to one receiver, by the same rules about addresses as everything else that leaves. */
export function createSyslog({ server, allow, ca, resolver = systemResolver, timeoutMs = 15_000 }: SyslogOptions) {
  const rules = createAddressRules(allow)
  const { host, port } = server
  const place = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)

  /**
   * All of them over one connection, which is then closed by both sides. Syslog has no receipts: that the receiver closed in
   * order says that the bytes reached it, which is the most that there is to know.
   */
  async function send(messages: readonly string[], signal: AbortSignal): Promise<void> {
    const closing = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const until = { deadline: performance.now() + timeoutMs, closing }
    const addresses = await resolveChecked(place, rules, resolver)
    const plain = await dial({ origin: place.host, addresses, port }, until)
    const socket = server.tls ? await secure(plain, place, { ca, alpn: [] }, until) : plain
    try {
      await write(socket, messages.map(framed).join(''), closing)
    } catch (error) {
      socket.destroy()
      plain.destroy()
      const code = (error as NodeJS.ErrnoException).code ?? (closing.aborted ? 'it took too long' : 'closed')
      throw new Transient(`The syslog receiver ${place.host} did not take the events (${code}).`)
    }
  }

  return { send, place: place.host }
}

/** RFC 5425 §4.3, RFC 6587 §3.4.1: octet counting, so that a message may contain anything. */
function framed(message: string): string {
  return `${Buffer.byteLength(message)} ${message}`
}

function write(socket: Socket, text: string, closing: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('stopped'))
    closing.addEventListener('abort', stop, { once: true })
    let ended = false
    // A receiver says nothing; reading is how its end is noticed.
    socket.on('data', () => {})
    socket.once('error', reject)
    socket.once('end', () => {
      ended = true
    })
    socket.once('close', (failed) => {
      closing.removeEventListener('abort', stop)
      if (failed || !ended || !socket.writableFinished) reject(new Error('closed early'))
      else resolve()
    })
    socket.end(text)
  })
}
