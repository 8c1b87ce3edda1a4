import { isIP, type Socket } from 'node:net'
import { Permanent, Transient } from '../../kernel/jobs/job.ts'
import { dial, secure, type Until } from '../client/dial.ts'
import { createAddressRules } from '../ssrf-guard/address-rules.ts'
import { type Resolver, resolveChecked, systemResolver } from '../ssrf-guard/resolve.ts'
import { isMailAddress, type Mail, mailMessage } from './mail-message.ts'
import { smtpFailure } from './smtp-failure.ts'

export type MailServer = {
  host: string
  port: number
  /** 'implicit': TLS from the first byte; 'starttls': before anything is said; 'off': never, and no password either. */
  tls: 'implicit' | 'starttls' | 'off'
  user: string
  password: string
}

export type MailerOptions = {
  server: MailServer
  from: string
  /** GATEHOUSE_EGRESS_ALLOW. */
  allow: string
  ca?: string | undefined
  resolver?: Resolver | undefined
  timeoutMs?: number | undefined
}

const longestReply = 64 * 1024

export type Mailer = ReturnType<typeof createMailer>

/**
 * Sends mail through one server, by the same rules about addresses as everything else that leaves: nodemailer is given a
 * connection that stands already, and makes none itself.
 */
export function createMailer({
  server,
  from,
  allow,
  ca,
  resolver = systemResolver,
  timeoutMs = 30_000,
}: MailerOptions) {
  const rules = createAddressRules(allow)
  // For the rules a host is a host; what is spoken there does not matter to them.
  const place = new URL(`https://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`)
  const origin = `The mail server ${place.host}`

  async function send(mail: Mail): Promise<void> {
    if (!isMailAddress(mail.to)) throw new Permanent('The address cannot be written to.')
    const closing = new AbortController()
    const until = { deadline: performance.now() + timeoutMs, closing: closing.signal }
    const addresses = await resolveChecked(place, rules, resolver)
    const socket = await dial({ origin: place.host, addresses, port: server.port }, until)
    const timer = setTimeout(() => {
      closing.abort()
      socket.destroy()
    }, timeoutMs)
    // When the server has taken the mail the farewell is still under way; it has the rest of the time.
    socket.once('close', () => clearTimeout(timer))
    try {
      await converse(socket, mail, until)
    } catch (error) {
      socket.destroy()
      if (closing.signal.aborted) throw new Transient(`${origin} took too long.`)
      throw smtpFailure(error, origin)
    }
  }

  async function converse(plain: Socket, mail: Mail, until: Until): Promise<void> {
    const implicit = server.tls === 'implicit'
    const connection = implicit ? await secure(plain, place, { ca, alpn: [] }, until) : plain
    const { host, port, user, password } = server
    // Loaded with the first mail: most processes send none.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      connection,
      host,
      port,
      name: 'gatehouse',
      secure: implicit,
      secured: implicit,
      requireTLS: server.tls === 'starttls',
      ignoreTLS: server.tls === 'off',
      tls: {
        ...(isIP(host) ? {} : { servername: host }),
        ...(ca === undefined ? {} : { ca }),
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      },
      ...(user === '' ? {} : { auth: { user, pass: password } }),
      maxResponseSize: longestReply,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    await transport.sendMail(mailMessage(mail, from))
  }

  return { send }
}
